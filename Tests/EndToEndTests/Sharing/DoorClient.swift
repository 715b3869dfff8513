import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

/// A program at a door of the tracker, with a socket and nothing else.
final class DoorClient: @unchecked Sendable {
    private let descriptor: Int32
    /// What came in each read.
    private(set) var reads: [String] = []

    /// Connects to a port of 127.0.0.1.
    init(port: UInt16) throws {
        descriptor = try DoorClient.connected { () throws(SystemError) in
            try LoopbackSocket.connect(port: port, timeoutMilliseconds: 2_000)
        }
    }

    /// Connects to a Unix socket.
    init(path: String) throws {
        descriptor = try DoorClient.connected { () throws(SystemError) in try UnixSocket.connect(path) }
    }

    /// Tries for a while: the tracker answers on its control socket a moment before it opens its doors.
    private static func connected(_ connect: () throws(SystemError) -> Int32) throws(SystemError) -> Int32 {
        for _ in 0..<500 {
            do { return try connect() } catch  where error.meansNobodyListens { usleep(20_000) }
        }
        return try connect()
    }

    deinit { Syscalls.close(descriptor) }

    /// Everything that has come.
    var text: String { reads.joined() }
    /// Its lines.
    var lines: [String] { text.split(separator: "\r\n").map(String.init) }

    func send(_ text: String) throws { try UnixSocket.sendAll(descriptor, Array(text.utf8)) }

    /// Reads until what has come is enough; false when that takes too long, or the door was shut.
    func read(within seconds: Int = 15, until isEnough: (DoorClient) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(self) {
            guard ContinuousClock.now < deadline else { return false }
            guard try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: 20) else {
                try await Task.sleep(for: .milliseconds(5))
                continue
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            reads.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        return true
    }

    /// The positions among the lines, as our own codec reads them: ``TPVCodec`` knows gpsd's names.
    var positions: [Position] {
        lines.compactMap { line in
            guard case .position(let position)? = try? TPVCodec.decode(Array(line.utf8)) else { return nil }
            return position
        }
    }
}
