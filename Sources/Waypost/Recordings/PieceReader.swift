/// Reads one format from bytes that come in pieces of any size, cut anywhere.
///
/// Its contract, checked by `PieceReading` of WaypostTestKit: the same bytes cut elsewhere give the same.
public protocol PieceReader: Sendable {
    /// What is found one by one.
    associatedtype Element: RecordingElement
    /// Why the bytes are not of the format at all, in half a sentence; after one, nothing more is found.
    associatedtype Failure: Error, CustomStringConvertible
    /// Whether anything was found that can be used.
    var hasContent: Bool { get }
    /// What was damaged or left out, a line for people each.
    var remarks: [String] { get }
    /// Takes the next bytes; visits what they complete, in the order of the file.
    mutating func read(_ bytes: Span<UInt8>, _ visit: (Element) -> Void) throws(Failure)
    /// Ends the file; visits what was waiting for its end.
    mutating func finish(_ visit: (Element) -> Void) throws(Failure)
}

/// What a ``PieceReader`` finds.
public protocol RecordingElement: Sendable, Equatable {
    /// Gives itself to a sink.
    func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink)
}

extension GPXItem: RecordingElement {
    /// Gives itself to a sink.
    public func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) { sink.add(.item(self)) }
}

extension PositionReport: RecordingElement {
    /// Gives itself to a sink, a fix by itself.
    public func give<Sink: RecordingSink & ~Copyable>(to sink: inout Sink) {
        if case .position(let position) = self { sink.add(position) } else { sink.add(.report(self)) }
    }
}

extension GPXReader: PieceReader {
    /// Whether there was a point of any kind.
    public var hasContent: Bool { summary.points > 0 }
    /// What was damaged.
    public var remarks: [String] { summary.remarks }
    /// Ends the file.
    public mutating func finish(_ visit: (GPXItem) -> Void) throws(GPXError) { _ = try finish() }
}

extension KMLTrackReader: PieceReader {
    /// Whether there was a point of a track or a waypoint.
    public var hasContent: Bool { pointCount > 0 }
}

extension CSVReader: PieceReader {
    /// Whether a row gave a report.
    public var hasContent: Bool { reportCount > 0 }
}

/// What a ``PieceReader`` finds, for a sink.
public struct PieceDecoder<Reader: PieceReader>: RecordingDecoder {
    private var reader: Reader
    /// Why the input is not of the format at all.
    public private(set) var refusal: String?

    /// A decoder around a reader at the start of a file.
    public init(_ reader: Reader) {
        self.reader = reader
    }

    /// What was damaged, one line per kind.
    public var warnings: [String] { reader.remarks }
    /// Whether anything was found.
    public var hasContent: Bool { reader.hasContent }

    /// Takes the next bytes.
    public mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        do throws(Reader.Failure) {
            try reader.read(bytes) { $0.give(to: &sink) }
        } catch {
            refusal = error.description
        }
    }

    /// Ends the file.
    public mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        do throws(Reader.Failure) {
            try reader.finish { $0.give(to: &sink) }
        } catch {
            refusal = error.description
        }
    }
}
