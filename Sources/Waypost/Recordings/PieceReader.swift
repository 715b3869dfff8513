/// Reads one format from bytes that come in pieces of any size, cut anywhere.
///
/// The contract, checked by `PieceReading` of WaypostTestKit: the same bytes cut elsewhere yield the same result.
package protocol PieceReader: Sendable {
    /// The type of the items found.
    associatedtype Element: RecordingElement
    /// Why the bytes are not of this format at all, in half a sentence; nothing more is found after it.
    associatedtype Failure: Error, CustomStringConvertible
    /// Whether anything usable was found.
    var hasContent: Bool { get }
    /// What was damaged or left out, one line for people per kind.
    var remarks: [String] { get }
    /// Processes the next bytes and visits what they complete, in the order of the file.
    mutating func read(_ bytes: Span<UInt8>, _ visit: (Element) -> Void) throws(Failure)
    /// Ends the file and visits what was waiting for its end.
    mutating func finish(_ visit: (Element) -> Void) throws(Failure)
}

/// What a `PieceReader` finds.
package protocol RecordingElement: Sendable, Equatable {
    /// Passes itself to a sink.
    func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink)
}

extension GPXItem: RecordingElement {
    /// Passes itself to a sink.
    package func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) { sink.add(self) }
}

extension PositionReport: RecordingElement {
    /// Passes itself to a sink; a fix on its own.
    package func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) {
        if case .position(let position) = self { sink.add(position) } else { sink.add(.report(self)) }
    }
}

extension GPXReader: PieceReader {
    /// Whether a point of any kind was found.
    package var hasContent: Bool { summary.points > 0 }
    /// What was damaged.
    package var remarks: [String] { summary.remarks }
    /// Ends the file.
    package mutating func finish(_ visit: (GPXItem) -> Void) throws(GPXError) { _ = try finish() }
}

extension KMLTrackReader: PieceReader {
    /// Whether a track point or a waypoint was found.
    package var hasContent: Bool { pointCount > 0 }
}

extension CSVReader: PieceReader {
    /// Whether a row contained a report.
    package var hasContent: Bool { reportCount > 0 }
}

/// Passes what a `PieceReader` finds to a sink.
package struct PieceDecoder<Reader: PieceReader>: RecordingDecoder {
    private var reader: Reader
    /// Why the input is not of this format at all.
    package private(set) var refusal: String?

    /// Creates a decoder around a reader at the start of a file.
    package init(_ reader: Reader) {
        self.reader = reader
    }

    /// What was damaged, one line per kind.
    package var warnings: [String] { reader.remarks }
    /// Whether anything was found.
    package var hasContent: Bool { reader.hasContent }

    /// Processes the next bytes.
    package mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        do throws(Reader.Failure) {
            try reader.read(bytes) { $0.give(to: &sink) }
        } catch {
            refusal = error.description
        }
    }

    /// Ends the file.
    package mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        do throws(Reader.Failure) {
            try reader.finish { $0.give(to: &sink) }
        } catch {
            refusal = error.description
        }
    }
}
