import Waypost
import WaypostSystem

/// The devices that gpsd on this machine has: the tracker must not open a port on its list.
package enum GPSDDevices {
    /// The paths of gpsd's devices, links resolved, open or not; empty when no gpsd answers, or a tracker that speaks like one.
    ///
    /// Asking does not make gpsd open a device. Where the system starts gpsd at the first connection, it starts now.
    /// - Parameter port: where gpsd listens, on 127.0.0.1.
    /// - Concurrency: waits at most two seconds for a gpsd that is busy or hangs, and ends within 0.3 s when the calling task is cancelled; not for
    ///   a thread of the cooperative pool or an event loop.
    package static func list(port: UInt16 = 2_947) -> [String] {
        do throws(SystemError) {
            let socket = try LoopbackSocket.connect(port: port, timeoutMilliseconds: 200)
            defer { Syscalls.close(socket) }
            // No other program on that port may keep the tracker from its receivers.
            guard GPSDTrust().objection(to: socket) == nil else { return [] }
            try UnixSocket.sendAll(socket, Array("?DEVICES;\r\n".utf8))
            var answer: JSONValue?
            _ = try LoopbackSocket.firstLine(
                from: socket, timeoutMilliseconds: 2_000, isGivenUp: { Task.isCancelled }
            ) { line in
                guard let value = parsed(line) else { return false }
                // A tracker that shares its positions has no receiver to protect: it locks its lines.
                if value["rev"]?.string?.hasPrefix(GPSDWriter.revisionPrefix) == true { return true }
                guard value["class"]?.string == "DEVICES" else { return false }
                answer = value
                return true
            }
            let paths = answer?["devices"]?.array?.compactMap { $0["path"]?.string } ?? []
            return paths.map(Syscalls.resolvingLinks)
        } catch {
            return []  // No gpsd, or one that hangs and so does not read a device either.
        }
    }

    private static func parsed(_ line: [UInt8]) -> JSONValue? {
        do throws(JSONError) { return try JSONParser(maximumDepth: 16).parse(line) } catch { return nil }
    }
}
