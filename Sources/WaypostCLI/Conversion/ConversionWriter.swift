import Waypost

/// Writes a recording piece by piece.
struct ConversionWriter: RecordingSink, ~Copyable {
    private let output: OutputStream
    private var text: TextBuffer
    private var encoder: any ReportEncoder
    private var breaks = TrackBreaks()
    private var waypointsLeftOut = 0
    private var routePointsLeftOut = 0
    /// The segment of the last point, where the input states it.
    private var segment: Int?
    /// The numbers that are added to those of segments and routes of the current input, and the free numbers after them.
    private var first = (segment: 0, route: 0)
    private var free = (segment: 0, route: 0)
    private var isFirstInput = true
    private var isAtInputStart = false

    /// Opens the output; `-` is standard output, and a name that ends in `.gz` is a gzip file.
    static func open(path: String, encoder: any ReportEncoder) throws(CommandFailure) -> ConversionWriter {
        ConversionWriter(try OutputStream(path: path, isPacked: path.lowercased().hasSuffix(".gz"), endsWithReader: true), encoder: encoder)
    }

    private init(_ output: consuming OutputStream, encoder: any ReportEncoder) {
        self.output = output
        var (encoder, text) = (encoder, TextBuffer(capacity: 1 << 16))
        encoder.begin(&text)
        (self.encoder, self.text) = (encoder, text)
    }

    /// How much could not be written because it came too late for its place in the format.
    var lateItems: Int { encoder.lateItems }

    /// What the format has no place for, counted: `2 waypoints and 1 route point`; nil when there is nothing.
    var leftOut: String? {
        let counts = [(waypointsLeftOut, "waypoint"), (routePointsLeftOut, "route point")]
        let words = counts.compactMap { $0 > 0 ? counted($0, $1) : nil }
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }

    /// Begins another input: its segments and routes are different from those of the previous one.
    ///
    /// - Parameter marksBreaks: whether a report without place and time marks a break.
    mutating func beginInput(marksBreaks: Bool) {
        endInput()
        if !isFirstInput { isAtInputStart = true }
        isFirstInput = false
        first = free
        segment = nil
        breaks = TrackBreaks(marksBreaks: marksBreaks)
        encoder.beginInput(&text)
    }

    /// Ends the input: nothing waits for what follows.
    mutating func endInput() { writeWaiting(isEnd: true) }

    /// Adds a fix to the output; ``flush()`` writes it, or what was added after it does.
    mutating func add(_ position: Position) {
        if breaks.waits(position) { return writeWaiting(isEnd: false) }
        write(position, after: breaks.isBreak(beforeFixAt: position.time))
    }

    /// Adds a part of a GPX file.
    mutating func add(_ item: GPXItem) {
        if breaks.isEmpty { write(item) } else { add(RecordingItem.item(item)) }
    }

    /// Adds something else.
    mutating func add(_ item: RecordingItem) {
        if case .report(.position(let position)) = item { return add(position) }
        if breaks.waits(item) { return writeWaiting(isEnd: false) }
        write(item)
    }

    private mutating func writeWaiting(isEnd: Bool) {
        while let output = breaks.next(isEnd: isEnd) {
            switch output {
            case .fix(let position, let isBreak): write(position, after: isBreak)
            case .item(let item): write(item)
            }
        }
    }

    private mutating func write(_ position: Position, after isBreak: Bool) {
        let isBreak = isBreak || isAtInputStart
        isAtInputStart = false
        encoder.add(position, after: isBreak, to: &text)
    }

    private mutating func write(_ item: RecordingItem) {
        switch item {
        case .report(.position): break
        case .report(.noFix(let report)):
            breaks.addNoFix(at: report.time)
            encoder.add(report, to: &text)
        case .report(.sky(let view)): encoder.add(view, to: &text)
        case .item(let item): write(item)
        }
    }

    /// Writes a part of a GPX file with its number among those of all inputs.
    private mutating func write(_ item: GPXItem) {
        // It is large, and mostly has that number already.
        if first == (0, 0) { write(item, in: item.place) } else { write(numbered(item), in: item.place) }
    }

    /// Writes an item.
    ///
    /// - Parameter place: where the item is in its input.
    private mutating func write(_ item: borrowing GPXItem, in place: GPXItem.Place) {
        var isBreak = false
        switch place {
        case .segment(let number):
            let segment = first.segment + number
            free.segment = max(free.segment, segment + 1)
            let isBehindFixes = breaks.isBreakBeforeSegment()
            isBreak = isBehindFixes || (self.segment.map { $0 != segment } ?? isAtInputStart)
            isAtInputStart = false
            self.segment = segment
        case .route(let number, let isPoint):
            free.route = max(free.route, first.route + number + 1)
            if isPoint, !encoder.takesRoutes { routePointsLeftOut += 1 }
        case .waypoint: if !encoder.takesWaypoints { waypointsLeftOut += 1 }
        case .file: break
        }
        encoder.add(item, after: isBreak, to: &text)
    }

    /// The item with its number among those of all inputs.
    private func numbered(_ item: GPXItem) -> GPXItem {
        switch item {
        case .trackPoint(let point, let segment): return .trackPoint(point, segment: first.segment + segment)
        case .segmentEnd(let other, let segment): return .segmentEnd(other, segment: first.segment + segment)
        case .routePoint(let point, let route): return .routePoint(point, route: first.route + route)
        case .route(var path):
            path.number += first.route
            return .route(path)
        case .head, .waypoint, .track, .end: return item
        }
    }

    /// Ends the document and puts the file in place.
    consuming func finish() throws(CommandFailure) {
        try end()
        try output.finish()
    }

    private mutating func end() throws(CommandFailure) {
        endInput()
        encoder.end(&text)
        try flush()
    }

    /// Writes what has been added, so that a reader sees it.
    mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        text.removeAll()
    }
}

extension GPXItem {
    /// Where an item is in its file.
    fileprivate enum Place {
        case segment(Int)
        case route(Int, isPoint: Bool)
        case waypoint
        case file
    }

    fileprivate var place: Place {
        switch self {
        case .trackPoint(_, let segment): .segment(segment)
        case .segmentEnd(_, let segment): .segment(segment)
        case .routePoint(_, let route): .route(route, isPoint: true)
        case .route(let path): .route(path.number, isPoint: false)
        case .waypoint: .waypoint
        case .head, .track, .end: .file
        }
    }
}
