import Foundation
import Glibc
import Synchronization
import WaypostSystem

/// A server that says to each client what a script tells it: for what the real gpsd hardly ever says.
///
/// The script runs on a thread of its own per client, with the number of the client (from 0); the connection closes when it returns.
final class ScriptedGPSD: Sendable {
    let port: UInt16
    private let listener: Int32
    private let thread: WakeSignal?
    private let clients: Counter

    var clientCount: Int { clients.value.load(ordering: .relaxed) }

    /// One client's connection.
    struct Client: Sendable {
        let descriptor: Int32
        let number: Int

        /// Sends text as it is; false when the client has gone.
        @discardableResult
        func send(_ text: String) -> Bool { (try? Syscalls.writeAll(descriptor, Array(text.utf8))) != nil }

        /// Waits, as long as the client is there; what it says is dropped.
        func wait(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

        /// Reads what the client says until it goes.
        func waitForTheEnd() {
            var byte = [UInt8](repeating: 0, count: 256)
            while let count = try? byte.withUnsafeMutableBytes({ try Syscalls.read(descriptor, into: $0) }), count > 0 {}
        }
    }

    /// - Parameter isListening: false for a port that refuses clients, and that nobody else gets meanwhile.
    init(isListening listens: Bool = true, script: @escaping @Sendable (Client) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && (!listens || listen(listener, 8) == 0) && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw SystemError(code: errno, operation: "listen") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let clients = Counter()
        self.clients = clients
        guard listens else {
            thread = nil
            return
        }
        thread = try DedicatedThread.start(name: "scripted gpsd") { stop in
            // Closed elsewhere, its number may be another socket's while this waits.
            defer { Syscalls.close(listener) }
            while stop.wait(forReading: listener, timeoutMilliseconds: nil) == .ready {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 { return }
                let client = Client(descriptor: descriptor, number: clients.value.add(1, ordering: .relaxed).oldValue)
                _ = try? DedicatedThread.start(name: "gpsd client") { _ in
                    script(client)
                    shutdown(descriptor, Int32(SHUT_RDWR))
                    Syscalls.close(descriptor)
                }
            }
        }
    }

    deinit {
        if let thread { thread.raise() } else { Syscalls.close(listener) }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    // MARK: What gpsd says

    static let greeting = """
        {"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r
        {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-03-01T12:00:00.000Z"}]}\r
        {"class":"WATCH","enable":true,"json":true}\r

        """

    /// A TPV of that second after noon.
    static func fix(_ second: Int, device: String = "/dev/a", latitude: Double = 47, mode: Int = 3) -> String {
        let time = "2026-03-01T12:\(second / 60 < 10 ? "0" : "")\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000Z"
        let place = mode >= 2 ? ",\"lat\":\(latitude),\"lon\":8.5,\"altHAE\":448.0,\"altMSL\":400.0,\"eph\":10.0" : ""
        return "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":\(mode),\"time\":\"\(time)\"\(place)}\r\n"
    }

    static let sky =
        "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"hdop\":0.9,\"vdop\":1.2,\"pdop\":1.5,\"satellites\":["
        + "{\"PRN\":5,\"el\":10.0,\"az\":20.0,\"ss\":30.0,\"used\":true,\"gnssid\":0,\"svid\":5},"
        + "{\"PRN\":70,\"el\":45.5,\"az\":359.0,\"used\":false,\"gnssid\":6,\"svid\":6},"
        + "{\"PRN\":301,\"el\":5.0,\"az\":1.0,\"ss\":20.0,\"used\":true,\"gnssid\":2,\"svid\":1}]}\r\n"
}
