import Waypost
import WaypostSystem

/// Turns the bytes of one format into what a recording holds.
protocol ReportDecoder {
    /// What was damaged, one line per kind.
    var warnings: [String] { get }
    /// Whether anything of the format was found.
    var hasContent: Bool { get }
    /// Why the input is not of the format at all, in half a sentence; nothing is decoded after it.
    var refusal: String? { get }
    /// Takes the next bytes, cut anywhere; gives what they complete.
    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink)
    /// Ends the input.
    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink)
}

/// Takes what a recording holds.
///
/// Positions come by themselves: they are nearly everything, and as a part of something larger each would be copied several times.
protocol RecordingSink: ~Copyable {
    /// Takes a fix.
    mutating func add(_ position: Position)
    /// Takes what is no fix of a receiver.
    mutating func add(_ item: RecordingItem)
}

extension ReportDecoder {
    var refusal: String? { nil }
}

/// Reads a recording piece by piece.
struct ConversionReader: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private var decoder: any ReportDecoder
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var progress: Progress
    private var isAtEnd = false
    private var unpacking = GzipInput()

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

    /// Why the input is not of the format at all.
    var refusal: String? { decoder.refusal }

    /// What is wrong with an input that is gzip; what came before it has been read.
    var gzipProblem: GzipInput.Problem? { unpacking.problem }

    /// Gives the next items, perhaps none; false at the end.
    mutating func read<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) throws(CommandFailure) -> Bool {
        if isAtEnd || decoder.refusal != nil { return false }
        // Out of self while the decoder, which is in self too, reads from it.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        let count: Int
        var readCount = 0
        do throws(SystemError) {
            let descriptor = descriptor
            count = try unpacking.read(into: &buffer) { (room) throws(SystemError) in
                let count = try Syscalls.readWaiting(descriptor, into: &room)
                readCount += count
                return count
            }
        } catch {
            throw CommandFailure(.inputOutput, what: path, why: "cannot be read: \(error.reason)")
        }
        isAtEnd = count == 0
        if isAtEnd { decoder.finish(into: &sink) } else { decoder.decode(buffer.span.extracting(0..<count), into: &sink) }
        // Of an input that is packed, what it has; none read is not the end of it.
        if isAtEnd || readCount > 0 { progress.add(bytes: isAtEnd ? 0 : readCount) }
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

    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        decoder.decode(bytes, into: &events)
        give(to: &sink)
    }

    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        decoder.finish(into: &events)
        give(to: &sink)
    }

    private mutating func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) {
        // By their places: an iterator copies each of them, which costs as much as to decode a sentence.
        for index in events.indices {
            guard case .epoch(let epoch) = events[index] else { continue }
            if let position = epoch.position { sink.add(position) } else { sink.add(.report(.noFix(NoFix(time: epoch.time)))) }
        }
        events.removeAll(keepingCapacity: true)
    }
}

/// GPX as tracks, routes and waypoints.
struct GPXReportDecoder: ReportDecoder {
    private var reader: GPXReader
    private(set) var refusal: String?

    init(keepsOtherElements: Bool) {
        reader = GPXReader(keepsOtherElements: keepsOtherElements)
    }

    var warnings: [String] { reader.summary.remarks }
    var hasContent: Bool { reader.summary.points > 0 }

    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        do throws(GPXError) {
            try reader.read(bytes) { sink.add(.item($0)) }
        } catch {
            refusal = error.description
        }
    }

    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        do throws(GPXError) {
            _ = try reader.finish()
        } catch {
            refusal = error.description
        }
    }
}
