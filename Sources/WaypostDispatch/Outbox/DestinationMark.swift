import Waypost
import WaypostSystem

/// From where on a destination may lack something, kept apart from the outbox: where it goes on when that is lost.
///
/// It may have more than the mark says, and gets that again under the same ids; it never has less.
struct DestinationMark: Sendable, Hashable {
    /// Its name.
    var name: String
    /// Up to this number of the log it has every position, or is not to get it.
    var positions: UInt64
    /// Up to this number of the log it has every event, or is not to get it.
    var events: UInt64
    /// Up to this number it has every entry of the outbox; those are the events up to ``events``, and what is not in the log.
    var entry: UInt64
    /// Whether positions of the log are for it.
    var takesPositions = true
    /// Whether somebody paused it.
    var isPaused = false

    /// Where both may lack something.
    func joined(with other: DestinationMark) -> DestinationMark {
        var joined = self
        if other.takesPositions { joined.positions = min(positions, other.positions) }
        (joined.events, joined.entry) = (min(events, other.events), min(entry, other.entry))
        return joined
    }
}

/// The file of the marks, beside the journals of the log.
///
/// ```
/// {"destinations":[{"name":"home","positions":8640,"events":8511,"entry":17,"takes_positions":true,"paused":false}]}
/// ```
/// Sealed (``SealedText``).
/// - Cost: a small file written anew when destinations come, go or are discarded, and once an hour at most while they take something.
/// - Concurrency: one owner.
struct DestinationMarkFile {
    /// What is found in it.
    enum Reading: Equatable {
        case missing
        /// There is one, and nobody knows what it said.
        case unreadable
        case known([DestinationMark])

        /// What it says; empty when that is nothing.
        var marks: [DestinationMark] { if case .known(let marks) = self { marks } else { [] } }
    }

    let path: String
    /// What the file says, as far as this process knows.
    private(set) var kept: [DestinationMark]?

    private static let byteLimit = 1 << 20

    init(path: String) {
        self.path = path
    }

    /// Whether it was written, and is still there.
    var isInPlace: Bool { kept != nil && Syscalls.exists(path) }

    mutating func read() -> Reading {
        do throws(SystemError) {
            guard let bytes = try Syscalls.contents(of: path, limit: DestinationMarkFile.byteLimit, as: .own) else { return .missing }
            guard let marks = DestinationMarkFile.marks(bytes) else { return .unreadable }
            kept = marks
            return .known(marks)
        } catch {
            return .unreadable
        }
    }

    /// Keeps marks; on the disk when it returns true.
    ///
    /// A file that cannot be written is removed: what it says may bring back what was taken away.
    @discardableResult
    mutating func write(_ marks: [DestinationMark]) -> Bool {
        if marks == kept, isInPlace { return true }
        kept = nil
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        // A link could lead root to files of anybody.
        guard Syscalls.isOwnFolder(folder) else { return false }
        do throws(SystemError) {
            try AtomicFile.write(DestinationMarkFile.bytes(marks), to: path, mode: 0o600, adoptsFolderOwner: true)
            kept = marks
            return true
        } catch {
            _ = try? Syscalls.remove(path)  // What can be neither written nor removed is tried again.
            return false
        }
    }

    static func bytes(_ marks: [DestinationMark]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("destinations") { json in
                for mark in marks {
                    json.object { json in
                        json.member("name", mark.name)
                        json.member("positions", Int(clamping: mark.positions))
                        json.member("events", Int(clamping: mark.events))
                        json.member("entry", Int(clamping: mark.entry))
                        json.member("takes_positions", mark.takesPositions)
                        json.member("paused", mark.isPaused)
                    }
                }
            }
        }
        return SealedText.seal(json.text.bytes + [UInt8(ascii: "\n")])
    }

    /// Nil for what is not whole.
    static func marks(_ bytes: [UInt8]) -> [DestinationMark]? {
        guard let text = SealedText.text(of: bytes) else { return nil }
        let found = (try? JSONParser().parse(Array(text)))?["destinations"]?.array  // What is no JSON is not whole.
        guard let found else { return nil }
        var marks: [DestinationMark] = []
        for value in found {
            guard let name = value["name"]?.string, let positions = number(value["positions"]), let events = number(value["events"]),
                let entry = number(value["entry"]), let takesPositions = value["takes_positions"]?.bool,
                let isPaused = value["paused"]?.bool
            else { return nil }
            marks.append(
                DestinationMark(
                    name: name, positions: positions, events: events, entry: entry, takesPositions: takesPositions, isPaused: isPaused))
        }
        return marks
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        guard let number = value?.int, (0...Int(SQLiteValue.largestNumber)).contains(number) else { return nil }
        return UInt64(number)
    }
}
