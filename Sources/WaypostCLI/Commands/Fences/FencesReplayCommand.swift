import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost fences replay FENCES TRACK...`: what would have fired on these tracks, each on its own.
struct FencesReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show the fence events of recordings.",
        discussion: """
            Each track is replayed separately, with its own times; the same input gives the same bytes. Fences: GeoJSON with properties name, radius, \
            width, dwell_seconds, expires, notify, Tealium's geofences.json, OwnTracks waypoints, Traccar geofences, or KML. Rules: robust (default) estimates the position from fixes and Doppler \
            velocity, exact takes every fix as it is.

            Example: waypost fences replay yards.geojson monday.nmea tuesday.jsonl --json
            """)

    @Argument(help: "The fence file.", completion: .file(), transform: PathValue.parse)
    var fences: String

    @Argument(
        help:
            "The recordings: \(ConversionFormat.list(ConversionFormat.readable)), given by the extension, also before .gz; - is standard input.",
        completion: .file(), transform: PathValue.parse)
    var tracks: [String]

    @Option(help: "Format of the recordings: \(ConversionFormat.list(ConversionFormat.readable)).")
    var from: InputFormat?

    @Option(help: "How enter and exit are decided: exact or robust.")
    var rule: BorderRule = .robust

    @Flag(help: "Print one JSON object per event.")
    var json = false

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let format = screen.format
        let index = try Patience.during("reading \(fences)") {
            var index = FenceIndex(try FenceInput(path: fences).fences())
            index.prepare(for: rule)
            return index
        }
        let output = try OutputStream(path: "-", endsWithReader: true)
        var (events, fixes) = (0, 0)
        for (number, track) in tracks.enumerated() {
            let counts = try replay(track, number: number, index, format, output)
            events += counts.events
            fixes += counts.fixes
        }
        try output.finish()
        if fixes == 0 {
            let what = tracks.count == 1 ? tracks[0] : "tracks"
            let verb = tracks.count == 1 ? "has" : "have"
            throw CommandFailure(.badData, what: what, why: "\(verb) no fix", next: "a route or waypoints are no recording")
        }
        if events == 0 { SystemProcess.printError("waypost: fences replay: no event in \(counted(fixes, "fix"))") }
    }

    /// Replays a track; returns how many events and fixes it has.
    private func replay(
        _ track: String, number: Int, _ index: FenceIndex, _ format: ScreenFormat, _ output: borrowing OutputStream
    ) throws -> (events: Int, fixes: Int) {
        guard let kind = from?.format ?? ConversionFormat(extensionOf: track), ConversionFormat.readable.contains(kind) else {
            throw CommandFailure.withoutFormat(track, next: "use --from \(ConversionFormat.list(ConversionFormat.readable))")
        }
        let input = try ConversionInput(path: track, named: kind)
        var reader = try input.reader()
        var text = TextBuffer()
        var replay = TrackReplay(
            monitor: GeofenceMonitor(fences: index, rule: rule, eventPrefix: "\(number)-"), marksBreaks: kind != .jsonl && kind != .nmea)
        var count = 0
        var hasMore = true
        while hasMore {
            hasMore = try reader.read(into: &replay)
            if !hasMore { replay.finish() }
            count += replay.events.count
            for event in replay.events { append(event, track, format, to: &text) }
            replay.events.removeAll()
            try output.write(text)
            text.removeAll()
        }
        if let incomplete = try input.check(reader) { throw incomplete }
        return (count, replay.fixCount)
    }

    private func append(_ event: GeofenceEvent, _ track: String, _ format: ScreenFormat, to text: inout TextBuffer) {
        var line = TextBuffer()
        if json {
            line.appendJSON { json in json.object { TrackerEvent(event).write(to: &$0, track: track) } }
        } else {
            if tracks.count > 1 { line.append(string: track + ": ") }
            event.append(to: &line, format)
        }
        text.append(string: printable(line.string))
        text.append(byte: UInt8(ascii: "\n"))
    }
}

/// One track, tested against the fences, with its losses where the tracker that plays it has them.
private struct TrackReplay: RecordingSink {
    var monitor: GeofenceMonitor
    /// The events since they were last read out.
    var events: [GeofenceEvent] = []
    /// How many fixes were tested.
    private(set) var fixCount = 0
    private let marksBreaks: Bool
    private var breaks: TrackBreaks
    private var segment = 0

    init(monitor: GeofenceMonitor, marksBreaks: Bool) {
        self.monitor = monitor
        self.marksBreaks = marksBreaks
        breaks = TrackBreaks(marksBreaks: marksBreaks)
    }

    mutating func add(_ position: Position) {
        if breaks.waits(position) { return testWaiting(isEnd: false) }
        test(position, after: breaks.isBreak(beforeFixAt: position.time))
    }

    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .report:
            if breaks.waits(item) { return testWaiting(isEnd: false) }
            test(item)
        case .item(let item):
            guard case .trackPoint(_, let place) = item, let report = item.report else { return }
            if place != segment { beginSegment() }
            segment = place
            add(.report(report))
        }
    }

    /// Tests what has waited for the fixes after it.
    mutating func finish() { testWaiting(isEnd: true) }

    /// A new segment begins after a loss.
    private mutating func beginSegment() {
        finish()
        breaks = TrackBreaks(marksBreaks: marksBreaks)
        monitor.lose(at: nil)
    }

    private mutating func testWaiting(isEnd: Bool) {
        while let output = breaks.next(isEnd: isEnd) {
            switch output {
            case .fix(let position, let isBreak): test(position, after: isBreak)
            case .item(let item): test(item)
            }
        }
    }

    private mutating func test(_ position: Position, after isBreak: Bool) {
        if isBreak { monitor.lose(at: nil) }
        fixCount += 1
        events += monitor.process(position)
    }

    private mutating func test(_ item: RecordingItem) {
        guard case .report(.noFix(let report)) = item, breaks.addNoFix(at: report.time) else { return }
        monitor.lose(at: nil)
    }
}

extension BorderRule: ExpressibleByArgument {}
