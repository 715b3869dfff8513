import Waypost
import WaypostSystem

/// Converts one recording: one pass, bounded memory.
///
/// GPX has all waypoints before all routes before all tracks, and so has nearly every GPX file. One that has not, or lines of JSON in another
/// order, are read once for each of the three. That is found out in the first pass, whose output is thrown away; an output that cannot be
/// thrown away (a pipe) costs a pass before it. An input that cannot be read again (a pipe, too) loses what comes too late, and says so.
struct Conversion {
    let input: String
    let source: ConversionFormat
    let output: String
    let target: ConversionFormat
    let fixesRollover: Bool

    /// The three parts of a GPX file, in its order.
    private enum Part: Int, CaseIterable {
        case waypoints, routes, tracks

        init(_ item: RecordingItem) {
            switch item {
            case .item(.head), .item(.waypoint): self = .waypoints
            case .item(.route), .item(.routePoint): self = .routes
            case .item(.track), .item(.trackPoint), .item(.segmentEnd), .item(.end), .report: self = .tracks
            }
        }
    }

    /// Writes what belongs to one of the three parts.
    private struct OnePart: RecordingSink, ~Copyable {
        var writer: ConversionWriter
        var part: Part

        mutating func add(_ position: Position) {
            if part == .tracks { writer.add(position) }
        }

        mutating func add(_ item: RecordingItem) {
            if Part(item) == part { writer.add(item) }
        }

        consuming func finish() throws(CommandFailure) { try writer.finish() }
    }

    /// Finds out whether a part comes behind one that must follow it.
    private struct OrderCheck: RecordingSink {
        private(set) var isBroken = false
        private var last = Part.waypoints

        mutating func add(_ position: Position) { note(.tracks) }

        mutating func add(_ item: RecordingItem) { note(Part(item)) }

        private mutating func note(_ part: Part) {
            if part.rawValue < last.rawValue { isBroken = true }
            last = part
        }
    }

    /// Does it; says on standard error what was damaged.
    func run() throws {
        let mayNeedOrder = target == .gpx && source != .nmea && input != "-" && Syscalls.kind(input) == .regular
        if mayNeedOrder, !isOutputReplaceable, try isInputOutOfOrder() { return try writeInOrder() }
        var reader = try makeReader()
        var writer = try ConversionWriter(path: output, encoder: target.makeEncoder())
        while try reader.read(into: &writer) {
            if mayNeedOrder, writer.lateItems > 0 { return try writeInOrder() }
            try writer.flush()
        }
        try check(reader)
        if let leftOut = writer.leftOut { warn("\(leftOut) left out: \(target.rawValue) has no place for them") }
        if writer.lateItems > 0 {
            warn("waypoints and route points after the first track, left out: \(writer.lateItems); convert a file, not a pipe")
        }
        try writer.finish()
    }

    private func writeInOrder() throws {
        var sink = OnePart(writer: try ConversionWriter(path: output, encoder: target.makeEncoder()), part: .waypoints)
        for part in Part.allCases {
            sink.part = part
            var reader = try makeReader()
            while try reader.read(into: &sink) { try sink.writer.flush() }
            if part == .tracks { try check(reader) }
        }
        try sink.finish()
    }

    private func isInputOutOfOrder() throws -> Bool {
        var reader = try makeReader()
        var order = OrderCheck()
        while !order.isBroken, try reader.read(into: &order) {}
        return order.isBroken
    }

    private var isOutputReplaceable: Bool {
        if output == "-" { return false }
        switch Syscalls.kind(output) {
        case .regular, .missing: return true
        default: return false
        }
    }

    private func makeReader() throws(CommandFailure) -> ConversionReader {
        guard let decoder = source.makeDecoder(fixesRollover: fixesRollover, keepsOtherElements: target == .gpx) else {
            throw CommandFailure(
                .usage, what: input, why: "\(source.rawValue) cannot be read",
                next: "use \(ConversionFormat.list(ConversionFormat.readable))")
        }
        return try ConversionReader(path: input, decoder: decoder)
    }

    /// Says what was damaged; throws when nothing is left.
    private func check(_ reader: borrowing ConversionReader) throws(CommandFailure) {
        if let refusal = reader.refusal { throw CommandFailure(.badData, what: input, why: "is not \(source.rawValue): \(refusal)") }
        for warning in reader.warnings { warn(warning) }
        guard reader.hasContent else {
            throw CommandFailure(
                .badData, what: input, why: "holds nothing usable as \(source.rawValue)", next: "name its format with --from")
        }
    }

    private func warn(_ words: String) {
        SystemProcess.printError("waypost: \(input): \(words)")
    }
}
