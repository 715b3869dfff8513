import Foundation
import Glibc
import WaypostSystem

/// A browser written by hand: bytes to a port of this machine, and what comes back.
final class BrowserSocket: Sendable {
    private let descriptor: Int32

    /// An answer, taken apart by the rules of RFC 9112 without any of our own code.
    struct Answer {
        var status = 0
        var headers: [String: String] = [:]
        var body = ""
        /// Whether anything came at all.
        var isThere: Bool { status != 0 }
    }

    init(port: Int) throws {
        descriptor = try LoopbackSocket.connect(port: UInt16(port), timeoutMilliseconds: 5_000)
    }

    deinit { Syscalls.close(descriptor) }

    /// Ends both directions at once, as a closed tab does.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends nothing more, and goes on reading, as `nc -N` does.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends bytes as they are; false when the other end takes no more.
    @discardableResult
    func send(_ text: String) -> Bool { (try? Syscalls.writeAll(descriptor, Array(text.utf8))) != nil }

    /// Reads until the end, or until a condition holds, or nothing more comes in time.
    func read(within limit: Duration = .seconds(10), until isEnough: (String) -> Bool = { _ in false }) -> String {
        let end = ContinuousClock.now + limit
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while ContinuousClock.now < end {
            var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&waiting, 1, 100) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer.prefix(count)
            if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the other end closes the connection in time.
    func isClosed(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while ContinuousClock.now < end {
            var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&waiting, 1, 100) > 0 else { continue }
            if Glibc.read(descriptor, &buffer, buffer.count) <= 0 { return true }
        }
        return false
    }

    /// Asks once, on a connection of its own.
    static func get(_ target: String, port: Int, method: String = "GET", host: String? = nil, _ headers: String...) throws -> Answer {
        let socket = try BrowserSocket(port: port)
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
        socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return answer(socket.read())
    }

    /// Takes an answer apart.
    static func answer(_ text: String) -> Answer {
        var answer = Answer()
        guard let end = text.range(of: "\r\n\r\n") else { return answer }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        answer.status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        answer.body = String(text[end.upperBound...])
        return answer
    }
}

/// A port of this machine that is free now.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
        }
    }
    guard code == 0 else { throw SystemError(code: errno, operation: "bind") }
    return Int(UInt16(bigEndian: address.sin_port))
}
