import Synchronization
import WaypostSystem

/// The last good speed of each serial line, so that a replugged receiver is back at once.
///
/// With a file it outlives the process: one line per port, `9600 /dev/serial/by-id/...`, rewritten only when something changes.
/// - Concurrency: from anywhere, by several sources at once; remembering may wait for the disk.
public final class BaudMemory: Sendable {
    private let path: String?
    private let rates: Mutex<[String: Int]>
    /// Held while the file is written: two at once would write the same temporary file.
    private let writing = Mutex(())

    /// Room for this many ports; more come from tests, not from devices.
    private static let limit = 64

    /// A memory, with the content of the file if there is one.
    ///
    /// - Parameter path: the file in the state folder; nil remembers for the life of the process. An unreadable file counts as empty.
    public init(path: String? = nil) {
        self.path = path
        let bytes = path.flatMap { try? Syscalls.contents(of: $0, as: .own) } ?? []  // This costs only a second or two of searching.
        var known: [String: Int] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(BaudMemory.limit) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let rate = Int(parts[0]), SerialPort.baudRates.contains(rate) else { continue }
            known[String(parts[1])] = rate
        }
        rates = Mutex(known)
    }

    /// The speed of the given port, if it is known.
    public func baudRate(of port: String) -> Int? { rates.withLock { $0[port] } }

    /// Remembers the speed of a port.
    public func remember(_ baudRate: Int, for port: String) {
        let isNew = rates.withLock { rates in
            guard rates[port] != baudRate, !port.contains("\n") else { return false }
            if rates.count >= BaudMemory.limit, rates[port] == nil { rates.removeAll() }
            rates[port] = baudRate
            return true
        }
        guard isNew, let path else { return }
        writing.withLock { _ in
            let text = rates.withLock { rates in rates.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }.joined() }
            try? AtomicFile.write(Array(text.utf8), to: path)  // A full disk only costs a search at the next start.
        }
    }
}
