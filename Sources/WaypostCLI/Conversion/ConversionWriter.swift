import Waypost

/// Writes a recording piece by piece.
struct ConversionWriter: RecordingSink, ~Copyable {
    private let output: OutputStream
    private var text = TextBuffer(capacity: 1 << 16)
    private var encoder: any ReportEncoder
    private var breaks = TrackBreaks()
    private var waypointsLeftOut = 0
    private var routePointsLeftOut = 0
    /// The segment that the last point was in, where the input says it.
    private var segment: Int?

    /// Opens the output; `-` is standard output.
    init(path: String, encoder: any ReportEncoder) throws(CommandFailure) {
        output = try OutputStream(path: path)
        self.encoder = encoder
        self.encoder.begin(&text)
    }

    /// How much could not be written because it came too late for its place in the format.
    var lateItems: Int { encoder.lateItems }

    /// What the format has no place for, counted: `2 waypoints and 1 point of a route`; nil when there is nothing.
    var leftOut: String? {
        let counts = [(waypointsLeftOut, "waypoint"), (routePointsLeftOut, "route point")]
        let words = counts.compactMap { $0 > 0 ? counted($0, $1) : nil }
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }

    /// Adds a fix to what is to be written; ``flush()`` writes it.
    mutating func add(_ position: Position) {
        encoder.add(position, after: breaks.isBreak(beforeFixAt: position.time), to: &text)
    }

    /// Adds something else.
    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .report(.noFix(let report)):
            breaks.addNoFix(at: report.time)
            encoder.add(report, to: &text)
        case .report(.sky(let view)): encoder.add(view, to: &text)
        case .item(let item):
            var isBreak = false
            switch item {
            case .trackPoint(_, let segment), .segmentEnd(_, let segment):
                isBreak = self.segment != nil && self.segment != segment
                self.segment = segment
            case .waypoint where !encoder.takesWaypoints: waypointsLeftOut += 1
            case .routePoint where !encoder.takesRoutes: routePointsLeftOut += 1
            default: break
            }
            encoder.add(item, after: isBreak, to: &text)
        }
    }

    /// Ends the document and puts the file in its place.
    consuming func finish() throws(CommandFailure) {
        encoder.end(&text)
        try flush()
        try output.finish()
    }

    /// Writes what has been added, so that a reader sees it.
    mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        text.removeAll()
    }
}
