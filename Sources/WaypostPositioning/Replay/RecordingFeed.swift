import Waypost
import WaypostSystem

/// The steps of a recording, read as they are played.
struct RecordingFeed<Reader: RecordingReader>: PlaybackFeed, ~Copyable {
    private let file: FileReader
    private var reader: Reader
    private var schedule: ReplaySchedule
    private var items: [RecordedItem] = []
    private var nextItem = 0
    private var hasEnded = false
    private var isFinished = false
    private var last: Position?
    /// What was damaged, for people; complete at the end.
    private(set) var warnings: [String] = []

    /// Opens the file.
    ///
    /// - Errors: `cannotOpen`.
    init(path: String, reader: Reader, schedule: ReplaySchedule) throws(PositionSourceError) {
        do throws(SystemError) {
            if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
            file = try FileReader(path: path)
        } catch {
            throw .cannotOpen(path: path, reason: error.reason)
        }
        self.reader = reader
        self.schedule = schedule
    }

    mutating func heldPosition() -> Position? {
        var position = last
        position?.speedMetresPerSecond = 0
        return position
    }

    mutating func next() throws(PositionSourceError) -> ReplaySchedule.Step? {
        while true {
            if let step = schedule.next() {
                if case .position(let position, _, _) = step { last = position }
                return step
            }
            if nextItem < items.count {
                add(items[nextItem])
                nextItem += 1
            } else if isFinished {
                return nil
            } else if hasEnded {
                schedule.finish()
                isFinished = true
            } else {
                try readMore()
            }
        }
    }

    private mutating func add(_ item: RecordedItem) {
        switch item {
        case .point(let position, let beginsSegment): schedule.add(position, beginsSegment: beginsSegment)
        case .loss: schedule.addLoss()
        }
    }

    private mutating func readMore() throws(PositionSourceError) {
        items.removeAll(keepingCapacity: true)
        nextItem = 0
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.read()
        } catch {
            throw .cannotRead(path: file.path, reason: error.reason)
        }
        if bytes.isEmpty {
            warnings = try reader.finish(into: &items) + schedule.warnings
            hasEnded = true
        } else {
            try reader.read(bytes.span, into: &items)
        }
        for case .point(let position, let beginsSegment) in items { schedule.foresee(position, beginsSegment: beginsSegment) }
    }
}

extension ReplaySchedule {
    /// A line per kind of oddity that was met, for people.
    fileprivate var warnings: [String] {
        var lines: [String] = []
        if disorderedCount > 0 { lines.append("points whose time is not after the one before, left out: \(disorderedCount)") }
        if untimedCount > 0 { lines.append("points without a time, taken one interval after the one before: \(untimedCount)") }
        return lines
    }
}
