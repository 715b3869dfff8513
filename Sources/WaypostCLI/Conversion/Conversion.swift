import Waypost
import WaypostSystem

/// Converts recordings into one: one pass, bounded memory.
///
/// GPX has all waypoints before all routes before all tracks, and so has nearly every GPX file. Where the inputs have not, they are read once
/// for each of the three. That is found out in the first pass, whose output is thrown away; an output that cannot be thrown away (a pipe)
/// costs a pass before it. An input that cannot be read again (a pipe, too) loses what comes too late, and says so.
struct Conversion {
    /// What is read, one behind the other; a segment goes on from none to the next.
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

        mutating func add(_ item: RecordingItem) {
            // The second file's head is passed over.
            if case .item(.head) = item { return }
            note(Part(item))
        }

        private mutating func note(_ part: Part) {
            if part.rawValue < last.rawValue { isBroken = true }
            last = part
        }
    }

    /// Does it; says on standard error what was damaged.
    ///
    /// - Errors: also when an input that is packed is not complete; the output then has what came before.
    func run() throws {
        let mayNeedOrder = target == .gpx && inputs.contains { $0.format != .nmea } && inputs.allSatisfy(\.isRepeatable)
        if mayNeedOrder, !isOutputReplaceable, try isInputOutOfOrder() { return try writeInOrder() }
        var writer = try ConversionWriter(path: output, encoder: target.makeEncoder())
        var incomplete: CommandFailure?
        for input in inputs {
            var reader = try makeReader(input)
            writer.beginInput()
            while try reader.read(into: &writer) {
                if mayNeedOrder, writer.lateItems > 0 { return try writeInOrder() }
                try writer.flush()
            }
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
        var sink = OnePart(writer: try ConversionWriter(path: output, encoder: target.makeEncoder()), part: .waypoints)
        var incomplete: CommandFailure?
        for part in Part.allCases {
            sink.part = part
            for input in inputs {
                var reader = try makeReader(input)
                sink.writer.beginInput()
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
        try input.check(reader, next: "name its format with --from")
    }
}
