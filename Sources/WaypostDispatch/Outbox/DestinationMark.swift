import Waypost
import WaypostSystem

/// The place from which a destination may lack records, stored apart from the outbox: there it continues when the outbox is lost.
///
/// It may have more records than the mark says, and gets those again under the same ids; it never has fewer.
struct DestinationMark: Sendable, Hashable {
    /// Its name.
    var name: String
    /// Up to this number of the log it has every position, or should not get it.
    var positions: UInt64
    /// The last position that waits for it when no later ones are meant for it; nil when they are.
    var positionsThrough: UInt64?
    /// Up to this number of the log it has every event, or should not get it.
    var events: UInt64
    /// The last event of the log that is meant for it when no later ones are; nil when they are.
    var eventsThrough: UInt64?
    /// Up to this number it has every entry of the outbox; those are the events up to ``events``, and entries that are not in the log.
    var entry: UInt64
    /// How many records it has lost up to there, without positions that limits have deleted behind ``positions``: the log knows these.
    var dropped = 0
    /// Whether positions of the log are sent to it.
    var takesPositions = true
    /// Whether it is paused.
    var isPaused = false

    /// The place from which either of two marks may lack records.
    func joined(with other: DestinationMark) -> DestinationMark {
        var joined = self
        joined.positions = min(positions, other.positions)
        joined.positionsThrough = positionsThrough.map { max($0, other.positionsThrough ?? $0) }
        (joined.events, joined.entry) = (min(events, other.events), min(entry, other.entry))
        joined.eventsThrough = eventsThrough.map { max($0, other.eventsThrough ?? $0) }
        joined.dropped = min(dropped, other.dropped)
        return joined
    }
}

/// The file of the marks, beside the journals of the log.
///
/// ```
/// {"destinations":[{"name":"home","positions":8640,"events":8511,"entry":17,"dropped":0,"takes_positions":true,"paused":false}]}
/// ```
/// `positions_through` and `events_through` only where no later ones are meant for a destination. Sealed (``SealedText``).
/// - Cost: a small file, rewritten when destinations are added, removed or discarded, and at most once an hour while they receive records.
/// - Concurrency: one owner.
struct DestinationMarkFile {
    /// The result of reading the file.
    enum Reading: Equatable {
        case missing
        /// The file exists, but its contents are unknown.
        case unreadable
        case known([DestinationMark])

        /// The marks; empty when there are none.
        var marks: [DestinationMark] { if case .known(let marks) = self { marks } else { [] } }
    }

    let path: String
    /// The contents of the file, as far as this process knows.
    private(set) var kept: [DestinationMark]?
    /// The file with these contents.
    private var identity: FileIdentity?

    private static let byteLimit = 1 << 20

    init(path: String) {
        self.path = path
    }

    /// Whether the file was written and is still there; another file may belong to a new log.
    var isInPlace: Bool { kept != nil && identity != nil && FileIdentity(of: path) == identity }

    mutating func read() -> Reading {
        do throws(SystemError) {
            guard let bytes = try Syscalls.contents(of: path, limit: DestinationMarkFile.byteLimit, as: .own) else { return .missing }
            guard let marks = DestinationMarkFile.marks(bytes) else { return .unreadable }
            (kept, identity) = (marks, FileIdentity(of: path))
            return .known(marks)
        } catch {
            return .unreadable
        }
    }

    /// Stores marks; they are on the disk when it returns true.
    ///
    /// Whoever may fetch the tracks may read the file, as everything else beside them: it names the destinations, and has no secret.
    /// A file that cannot be written is removed: its old contents might bring back records that were removed on purpose.
    @discardableResult
    mutating func write(_ marks: [DestinationMark]) -> Bool {
        if marks == kept, isInPlace { return true }
        kept = nil
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        // A link could lead root to other users' files.
        guard Syscalls.isOwnFolder(folder) else { return false }
        do throws(SystemError) {
            try AtomicFile.write(DestinationMarkFile.bytes(marks), to: path, adoptsFolderOwner: true)
            (kept, identity) = (marks, FileIdentity(of: path))
            return true
        } catch {
            _ = try? Syscalls.remove(path)  // A file that can be neither written nor removed is tried again.
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
                        json.member("positions_through", mark.positionsThrough.map { Int(clamping: $0) })
                        json.member("events", Int(clamping: mark.events))
                        json.member("events_through", mark.eventsThrough.map { Int(clamping: $0) })
                        json.member("entry", Int(clamping: mark.entry))
                        json.member("dropped", mark.dropped)
                        json.member("takes_positions", mark.takesPositions)
                        json.member("paused", mark.isPaused)
                    }
                }
            }
        }
        return SealedText.seal(json.text.bytes + [UInt8(ascii: "\n")])
    }

    /// Nil for incomplete bytes.
    static func marks(_ bytes: [UInt8]) -> [DestinationMark]? {
        guard let text = SealedText.text(of: bytes) else { return nil }
        let found = (try? JSONParser().parse(Array(text)))?["destinations"]?.array  // Bytes that are not JSON are incomplete.
        guard let found else { return nil }
        var marks: [DestinationMark] = []
        for value in found {
            guard let name = value["name"]?.string, let positions = number(value["positions"]), let events = number(value["events"]),
                let entry = number(value["entry"]), let takesPositions = value["takes_positions"]?.bool,
                let isPaused = value["paused"]?.bool
            else { return nil }
            marks.append(
                DestinationMark(
                    name: name, positions: positions, positionsThrough: number(value["positions_through"]), events: events,
                    eventsThrough: number(value["events_through"]), entry: entry,
                    dropped: Int(clamping: number(value["dropped"]) ?? 0), takesPositions: takesPositions, isPaused: isPaused))
        }
        return marks
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        guard let number = value?.int, (0...Int(SQLiteValue.largestNumber)).contains(number) else { return nil }
        return UInt64(number)
    }
}
