import Waypost
import WaypostSystem

/// Converts recordings into one: one pass, bounded memory.
///
/// GPX has all waypoints before all routes before all tracks, and so does nearly every GPX file. Inputs in another order are read once
/// for each of the three. The first pass finds that out, and its output is discarded; an output that cannot be discarded (a pipe)
/// needs a pass before it. An input that cannot be read again (also a pipe) loses what comes too late, with a message.
struct Conversion {
    /// The inputs, read one after the other; no segment continues from one to the next.
    let inputs: [ConversionInput]
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

    /// Writes the items of one of the three parts.
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

    /// Finds out whether a part comes after one that must follow it.
    private struct OrderCheck: RecordingSink {
        private(set) var isBroken = false
        private var last = Part.waypoints

        mutating func add(_ position: Position) { note(.tracks) }

        mutating func add(_ item: RecordingItem) {
            // The second file's head is skipped.
            if case .item(.head) = item { return }
            note(Part(item))
        }

        private mutating func note(_ part: Part) {
            if part.rawValue < last.rawValue { isBroken = true }
            last = part
        }
    }

    /// Converts the inputs; reports on standard error what was damaged.
    ///
    /// - Errors: also when a compressed input is incomplete; the output then has what came before.
    func run() throws {
        let mayNeedOrder = target == .gpx && inputs.contains { $0.format != .nmea } && inputs.allSatisfy(\.isRepeatable)
        if mayNeedOrder, !isOutputReplaceable, try isInputOutOfOrder() { return try writeInOrder() }
        var writer = try ConversionWriter.open(path: output, encoder: target.makeEncoder())
        var incomplete: CommandFailure?
        for input in inputs {
            var reader = try makeReader(input)
            writer.beginInput(marksBreaks: input.format == .csv)
            while try reader.read(into: &writer) {
                if mayNeedOrder, writer.lateItems > 0 { return try writeInOrder() }
                try writer.flush()
            }
            writer.endInput()
            if mayNeedOrder, writer.lateItems > 0 { return try writeInOrder() }
            let failure = try check(reader, of: input)
            incomplete = incomplete ?? failure
        }
        let name = inputs.count == 1 ? inputs[0].path : output
        if let leftOut = writer.leftOut {
            SystemProcess.printError("waypost: \(name): \(leftOut) left out: \(target.rawValue) has no place for them")
        }
        if writer.lateItems > 0 {
            SystemProcess.printError(
                "waypost: \(name): waypoints and route points after the first track, left out: \(writer.lateItems); convert a file, not a pipe"
            )
        }
        try writer.finish()
        if let incomplete { throw incomplete }
    }

    private func writeInOrder() throws {
        var sink = OnePart(writer: try ConversionWriter.open(path: output, encoder: target.makeEncoder()), part: .waypoints)
        var incomplete: CommandFailure?
        for part in Part.allCases {
            sink.part = part
            for input in inputs {
                var reader = try makeReader(input)
                sink.writer.beginInput(marksBreaks: input.format == .csv)
                while try reader.read(into: &sink) { try sink.writer.flush() }
                guard part == .tracks else { continue }
                let failure = try check(reader, of: input)
                incomplete = incomplete ?? failure
            }
        }
        try sink.finish()
        if let incomplete { throw incomplete }
    }

    private func isInputOutOfOrder() throws -> Bool {
        var order = OrderCheck()
        for input in inputs {
            var reader = try makeReader(input)
            while !order.isBroken, try reader.read(into: &order) {}
        }
        return order.isBroken
    }

    private var isOutputReplaceable: Bool {
        if output == "-" { return false }
        switch Syscalls.kind(output) {
        case .regular, .missing: return true
        default: return false
        }
    }

    private func makeReader(_ input: ConversionInput) throws(CommandFailure) -> ConversionReader {
        try input.reader(fixesRollover: fixesRollover, keepsOtherElements: target == .gpx)
    }

    private func check(_ reader: borrowing ConversionReader, of input: ConversionInput) throws(CommandFailure) -> CommandFailure? {
        try input.check(reader, next: input.isFormatNamed ? "name another format with --from" : "name its format with --from")
    }
}
