import Waypost
import WaypostSystem

/// What is known of the sides of fences, on disk: two files, each written whole or not at all.
///
/// `fences-known` has a number for every fence whose side is known; it changes with the set of fences. `fence-state` has the stays, the way so
/// far, and the last events; it is written at each event, before the event is reported, and is small however many fences there are:
///
///     events, a line each | empty line | ``GeofenceProgress/encoded()`` | how many events are in doubt, 2 bytes | CRC-32C of events and number
///
/// The highest bit of the number says that the run ended there: every fix of it is in the progress.
///
/// Whole numbers are little-endian. Damage to one part leaves the other.
struct FenceStateStore {
    /// What the previous run left.
    struct Content {
        var state = GeofenceMonitorState()
        /// The last events.
        var events: [TrackerEvent] = []
        /// How many of them, the newest, may not have been reported to everybody.
        var doubtfulCount = 0
        /// Whether the run ended with it, so that no fix came after it.
        var isEnd = false
        /// Whether fences had sides that only the log still knows.
        var isStateLost = false
        /// Whether there are no files: of a first run, or removed.
        var isStateMissing = false
        /// What to say when the log shows that the files were removed.
        fileprivate var lossProblem = ""
        /// What could not be read, for people.
        var problems: [String] = []

        /// Notes that the files were there, and were removed.
        mutating func noteLoss() {
            isStateLost = true
            problems.append(lossProblem)
        }
    }

    /// The longest file that is read.
    private static let mostBytes = 256 << 20

    private static let fromLog = "where the device was is taken from the events of the log"

    private let knownPath: String
    private let progressPath: String

    init(folder: String) {
        knownPath = folder + "/fences-known"
        progressPath = folder + "/fence-state"
    }

    /// Reads what is there; a missing or damaged state is an empty one.
    func load() -> Content {
        var content = Content()
        let known = contents(of: knownPath, &content.problems)
        let bytes = contents(of: progressPath, &content.problems)
        let parts = bytes.map { FenceStateStore.parts(of: $0) }
        if let parts { (content.events, content.doubtfulCount, content.isEnd) = (parts.events, parts.doubtfulCount, parts.isEnd) }
        do throws(GeofenceStateError) {
            if let known { content.state.known = try GeofenceMonitorState.decode(known: known) }
            if let parts { content.state.progress = try GeofenceProgress(decoding: parts.progress) }
            content.state.progress.forgetOtherBoots(than: FenceStateStore.boot)
        } catch {
            content.problems = ["\(progressPath) or fences-known beside it: damaged; \(FenceStateStore.fromLog)"]
        }
        if !content.problems.isEmpty { content.isStateLost = true }
        content.isStateMissing = known == nil && bytes == nil && content.problems.isEmpty
        content.lossProblem = "\(progressPath): is missing; \(FenceStateStore.fromLog)"
        // Without the stays the device would seem to be outside every fence.
        if parts == nil, !content.state.known.isEmpty {
            content.isStateLost = true
            if content.problems.isEmpty { content.problems = [content.lossProblem] }
        }
        if content.isStateLost { content.state = GeofenceMonitorState() }
        return content
    }

    /// Saves which fences' sides are known; call ``save(_:events:doubtfulCount:)`` first when those changed.
    func save(known: [UInt64]) throws(SystemError) {
        try AtomicFile.write(GeofenceMonitorState.encode(known: known), to: knownPath, mode: 0o600)
    }

    /// Saves the stays, the way so far and the last events, of which the newest `doubtfulCount` may not have been reported to everybody.
    ///
    /// - Parameter isEnd: whether no fix comes after it.
    func save(_ progress: GeofenceProgress, events: [TrackerEvent], doubtfulCount: Int, isEnd: Bool) throws(SystemError) {
        var progress = progress
        progress.noteBoot(FenceStateStore.boot)
        var text = TextBuffer(capacity: 256 * (events.count + 1))
        for event in events {
            text.appendJSON { $0.element(event) }
            text.append("\n")
        }
        text.append("\n")
        let bytes = text.bytes
        let number = min(UInt32(clamping: doubtfulCount), FenceStateStore.endMark - 1) | (isEnd ? FenceStateStore.endMark : 0)
        let count = FenceStateStore.littleEndian(number).prefix(2)
        let checked = bytes + count
        let checksum = FenceStateStore.littleEndian(CRC32C.checksum(checked.span.bytes))
        try AtomicFile.write(bytes + progress.encoded() + count + checksum, to: progressPath, mode: 0o600)
    }

    private static let endMark: UInt32 = 0x8000
    /// This start of the machine.
    private static let boot = BootIdentity.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }

    private static func littleEndian(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    private func contents(of path: String, _ problems: inout [String]) -> [UInt8]? {
        do throws(SystemError) {
            return try Syscalls.contents(of: path, limit: FenceStateStore.mostBytes, as: .own)
        } catch {
            problems.append("\(path): cannot be read: \(error.reason); \(FenceStateStore.fromLog)")
            return nil
        }
    }

    /// What is before the empty line, and after it; no events where these are damaged.
    private static func parts(of bytes: [UInt8]) -> (events: [TrackerEvent], doubtfulCount: Int, isEnd: Bool, progress: [UInt8]) {
        var events: [TrackerEvent] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { start = end + 1 }
            if end == start { break }
            // Anything that is not an event is left out.
            let value = try? JSONParser().parse(Array(bytes[start..<end]))  // See above.
            if let event = value.flatMap(TrackerEvent.init) { events.append(event) }
        }
        let trailer = bytes.count - 6
        guard trailer >= start else { return ([], 0, false, []) }
        let progress = Array(bytes[start..<trailer])
        let checked = bytes[..<start] + bytes[trailer..<(trailer + 2)]
        guard bytes[(trailer + 2)...].elementsEqual(littleEndian(CRC32C.checksum(checked.span.bytes))) else {
            return ([], 0, false, progress)
        }
        let number = UInt32(bytes[trailer]) | UInt32(bytes[trailer + 1]) << 8
        return (events, Int(number & (endMark - 1)), number & endMark != 0, progress)
    }
}
