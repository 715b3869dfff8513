import Waypost
import WaypostSystem

/// What the gpsd of this machine says it has: a port that is on its list is not ours to open.
public enum GPSDDevices {
    /// The paths of gpsd's devices, links resolved, open or not; empty when no gpsd answers.
    ///
    /// Asking does not make gpsd open a device. Where the system starts gpsd at the first connection, it is started.
    /// - Parameter port: where it listens, on 127.0.0.1.
    /// - Concurrency: waits two seconds for a gpsd that is busy with a device, and no longer for one that hangs, and ends within 0.3 s when
    ///   the task that it is called in is cancelled; not for a thread of the cooperative pool or an event loop.
    public static func list(port: UInt16 = 2_947) -> [String] {
        do throws(SystemError) {
            let socket = try LoopbackSocket.connect(port: port, timeoutMilliseconds: 200)
            defer { Syscalls.close(socket) }
            // Whoever it is must not keep the tracker from its receivers.
            guard GPSDTrust().objection(to: socket) == nil else { return [] }
            try UnixSocket.sendAll(socket, Array("?DEVICES;\r\n".utf8))
            var answer: JSONValue?
            _ = try LoopbackSocket.firstLine(
                from: socket, timeoutMilliseconds: 2_000, isGivenUp: { Task.isCancelled }
            ) { line in
                guard let value = parsed(line), value["class"]?.string == "DEVICES" else { return false }
                answer = value
                return true
            }
            let paths = answer?["devices"]?.array?.compactMap { $0["path"]?.string } ?? []
            return paths.map(Syscalls.resolvingLinks)
        } catch {
            return []  // No gpsd, or one that hangs: it reads from nothing then.
        }
    }

    private static func parsed(_ line: [UInt8]) -> JSONValue? {
        do throws(JSONError) { return try JSONParser(maximumDepth: 16).parse(line) } catch { return nil }
    }
}
