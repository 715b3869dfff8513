import Waypost
import WaypostSystem

/// Turns the bytes of one format into reports.
protocol ReportDecoder {
    /// What was damaged, one line per kind.
    var warnings: [String] { get }
    /// Whether anything of the format was found.
    var hasContent: Bool { get }
    /// Takes the next bytes, cut anywhere; appends what they complete.
    mutating func decode(_ bytes: Span<UInt8>, into reports: inout [PositionReport])
    /// Ends the input.
    mutating func finish(into reports: inout [PositionReport])
}

/// Reads a recording piece by piece.
struct ConversionReader: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private var decoder: any ReportDecoder
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var progress: Progress
    private var isAtEnd = false

    /// Opens the recording; `-` is standard input.
    init(path: String, decoder: any ReportDecoder) throws(CommandFailure) {
        self.path = path
        self.decoder = decoder
        do throws(SystemError) {
            if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
            descriptor = path == "-" ? Syscalls.standardInput : try Syscalls.openForReading(path)
        } catch {
            throw CommandFailure(.inputMissing, what: path, why: "cannot be read: \(error.reason)")
        }
        progress = Progress(name: path, totalBytes: Syscalls.size(descriptor))
    }

    deinit {
        if descriptor != Syscalls.standardInput { Syscalls.close(descriptor) }
    }

    /// What was damaged, one line per kind.
    var warnings: [String] { decoder.warnings }

    /// Whether anything of the format was found.
    var hasContent: Bool { decoder.hasContent }

    /// Appends the next reports, perhaps none; false at the end.
    mutating func read(into reports: inout [PositionReport]) throws(CommandFailure) -> Bool {
        if isAtEnd { return false }
        // Out of self while the decoder, which is in self too, reads from it.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        let count: Int
        do throws(SystemError) {
            count = try Syscalls.readWaiting(descriptor, into: &buffer)
        } catch {
            throw CommandFailure(.inputOutput, what: path, why: "cannot be read: \(error.reason)")
        }
        isAtEnd = count == 0
        if isAtEnd { decoder.finish(into: &reports) } else { decoder.decode(buffer.span.extracting(0..<count), into: &reports) }
        progress.add(bytes: count)
        return true
    }
}

/// NMEA 0183 as reports.
struct NMEAReportDecoder: ReportDecoder {
    private var decoder: NMEADecoder
    private var events: [NMEAEvent] = []

    init(fixesRollover: Bool) {
        var options = NMEADecoder.Options()
        options.correctsWeekRollover = fixesRollover
        decoder = NMEADecoder(options: options)
    }

    var warnings: [String] { decoder.counters.summary }
    var hasContent: Bool { decoder.counters.sentences > 0 }

    mutating func decode(_ bytes: Span<UInt8>, into reports: inout [PositionReport]) {
        decoder.decode(bytes, into: &events)
        take(into: &reports)
    }

    mutating func finish(into reports: inout [PositionReport]) {
        decoder.finish(into: &events)
        take(into: &reports)
    }

    private mutating func take(into reports: inout [PositionReport]) {
        for event in events {
            if case .epoch(let epoch) = event {
                reports.append(epoch.position.map { .position($0) } ?? .noFix(NoFix(time: epoch.time)))
            }
        }
        events.removeAll(keepingCapacity: true)
    }
}
