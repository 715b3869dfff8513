import ArgumentParser
import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log list`: the tracks with their times, points and sizes, and which pullers have fetched them.
struct LogListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the recorded tracks.",
        discussion: """
            A track that is still being recorded, or waits for its GPX file, is "open"; its size is what was written, not the room that is \
            reserved on the disk. A puller has fetched a track when it has acknowledged all of it.

            Example: waypost log list --json
            """)

    @Flag(help: "Print one JSON object per track.")
    var json = false

    @OptionGroup var location: LogLocation

    func run() throws {
        let folder = try location.folder()
        var failures: [RecordingError] = []
        var pullers: [Pullers.Puller] = []
        do throws(RecordingError) { pullers = try Pullers(folder: folder).all() } catch {
            // The tracks are there all the same.
            guard case .damagedPullers = error else { throw CommandFailure(error) }
            failures.append(error)
        }
        let journals = try attempt { () throws(RecordingError) in try folder.journals() }
        let output = try OutputStream(path: "-")
        var progress = Progress(name: logPath(folder.path), totalBytes: journals.reduce(0) { $0 + (Syscalls.byteCount(of: $1.path) ?? 0) })
        var entries: [LogListRow] = []
        for journal in journals {
            if let cause = Syscalls.oddFile(journal.path) {
                failures.append(.cannotRead(path: journal.path, cause: cause))
                continue
            }
            // A journal that was deleted since the listing is not a track any more.
            guard let entry = try LogListRow(journal, in: folder, pullers: pullers) else { continue }
            progress.add(bytes: Int(Syscalls.byteCount(of: journal.path) ?? 0))
            if json { try output.write(line: entry.line) } else { entries.append(entry) }
        }
        progress.add(bytes: 0)
        if entries.isEmpty, !json { SystemProcess.printError("waypost: log list: there are no tracks in \(logPath(folder.path))") }
        let format = json ? ScreenFormat() : location.daemon.format
        // On a terminal the titles have the words.
        let isTitled = output.screenColumns != nil
        var table = TextTable(LogListRow.columns, screenColumns: output.screenColumns)
        for line in table.lines(entries.map { $0.cells(format, isTitled: isTitled) }) { try output.write(line: line) }
        try CommandFailure.end(with: failures)
    }
}

/// One track of the list.
struct LogListRow {
    let journal: LogJournal
    /// What is in the journal; one that is open has room for more on the disk.
    private(set) var journalByteCount: Int64 = 0
    /// The GPX file and its size; nil when it does not exist yet or any more.
    let track: (path: String, byteCount: Int64)?
    private var positions = TypeCount()
    /// What makes the GPX file of each type finds its segments, too.
    private var tracks = LogType.allCases.map { (type: LogTypes($0), filter: TrackFilter(), segmentCount: 0) }
    /// How many segments the type with the most of them has.
    private var segmentCount: Int { tracks.map(\.segmentCount).max() ?? 0 }
    private(set) var firstTime: UTCTime?
    private(set) var lastTime: UTCTime?
    private(set) var lastSequence: UInt64 = 0
    private(set) var damagedByteCount: Int64 = 0
    private var lacksRecords = false
    private(set) var pulledBy: [String] = []

    /// Reads a whole journal; nil when it is gone.
    init?(_ journal: LogJournal, in folder: LogFolder, pullers: [Pullers.Puller]) throws(CommandFailure) {
        self.journal = journal
        let path = "\(folder.path)/\(journal.stem).gpx"
        track = Syscalls.byteCount(of: path).map { (path, $0) }
        do throws(RecordingError) {
            var reader = try JournalReader(path: journal.path)
            while let record = try reader.next() { count(record, damageCount: reader.decoder.damageCount) }
            damagedByteCount = reader.decoder.damagedByteCount
            lacksRecords = reader.decoder.damage.contains { $0.missingCount > 0 }
            journalByteCount = journal.isOpen ? reader.decoder.endOfContent : Syscalls.byteCount(of: journal.path) ?? 0
        } catch {
            if case .cannotRead(_, let cause) = error, cause.isMissing { return nil }
            throw CommandFailure(error)
        }
        pulledBy = pullers.filter { lastSequence > 0 && $0.cursor >= lastSequence }.map(\.name)
    }

    private mutating func count(_ record: JournalRecord, damageCount: Int) {
        lastSequence = record.sequence
        switch record.content {
        case .segmentBreak(let reason): note(reason, record)
        case .lost: note(.gap, record)
        case .position(let position):
            positions.add(record.types)
            for index in tracks.indices
            where tracks[index].filter.process(record, position, tracks[index].type, damageCount: damageCount) == true {
                tracks[index].segmentCount += 1
            }
            if firstTime == nil { firstTime = position.time }
            lastTime = position.time ?? lastTime
        case .event, .other: break
        }
    }

    private mutating func note(_ reason: SegmentBreak, _ record: JournalRecord) {
        for index in tracks.indices { tracks[index].filter.note(reason, record, tracks[index].type) }
    }

    /// One JSON object.
    var line: String {
        jsonObject { json in
            json.member("class", "TRACK")
            json.member("name", journal.stem)
            json.member("state", journal.isOpen ? "open" : "finished")
            json.member("first", firstTime)
            json.member("last", lastTime)
            json.member("positions", positions.largest)
            json.member("segments", segmentCount)
            json.member("first_seq", Int(clamping: journal.firstSequence))
            json.member("last_seq", Int(clamping: lastSequence))
            json.member("journal", logPath(journal.path))
            json.member("journal_bytes", Int(journalByteCount))
            json.member("track", track.map { logPath($0.path) })
            json.member("track_bytes", track.map { Int($0.byteCount) })
            json.member("damaged_bytes", damagedByteCount > 0 ? Int(damagedByteCount) : nil)
            json.array("pulled_by") { json in for name in pulledBy { json.element(name) } }
        }
    }

    /// The columns of the list for people.
    static let columns: [TextTable.Column] = [
        .init(title: "track"), .init(title: "from"), .init(title: "to", isTrailing: true), .init(title: "positions", isTrailing: true),
        .init(title: "segments", isTrailing: true, isOptional: true), .init(title: "GPX", isTrailing: true, isOptional: true),
        .init(title: "journal", isTrailing: true, isOptional: true), .init(title: "remarks", isCut: true),
    ]

    /// A size in the one unit of the list, so that sizes can be compared at a glance.
    private static func size(_ bytes: Int64) -> String { "\((bytes + 1_023) / 1_024) KiB" }

    /// One row for people.
    ///
    /// - Parameter isTitled: whether titles above say what the figures are.
    func cells(_ format: ScreenFormat, isTitled: Bool = false) -> [String] {
        var remarks: [String] = []
        if damagedByteCount > 0 { remarks.append("\(counted(damagedByteCount, "byte")) damaged") }
        if lacksRecords { remarks.append("records missing") }
        if !pulledBy.isEmpty { remarks.append("fetched by \(pulledBy.joined(separator: ", "))") }
        // To the minute: the name has the seconds.
        func minute(_ time: UTCTime) -> String { String(format.moment(time).prefix(16)) }
        func titled(_ words: String, as shorter: @autoclosure () -> String) -> String { isTitled ? shorter() : words }
        let isOneDay = firstTime.map(format.day) == lastTime.map(format.day)
        return [
            journal.stem, firstTime.map(minute) ?? "",
            lastTime.map { isOneDay ? String(format.timeOfDay($0).prefix(5)) : minute($0) } ?? "",
            titled(counted(positions.largest, "position"), as: "\(positions.largest)"),
            titled(counted(segmentCount, "segment"), as: "\(segmentCount)"),
            track.map { (isTitled ? "" : "GPX ") + LogListRow.size($0.byteCount) }
                ?? (journal.isOpen ? "open" : titled("GPX gone", as: "gone")),
            (isTitled ? "" : "journal ") + LogListRow.size(journalByteCount), remarks.joined(separator: ", "),
        ]
    }
}
