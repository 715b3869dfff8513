import Waypost

/// What a recording holds, for a replay.
enum RecordedItem {
    case point(Position, beginsSegment: Bool)
    /// The receiver said that it had no fix.
    case loss
}

/// Reads a recording of one format from its start, piece by piece.
protocol RecordingReader {
    /// Takes the next bytes of the file and appends what they complete.
    ///
    /// - Errors: why the file is not what it should be.
    mutating func read(_ bytes: Span<UInt8>, into items: inout [RecordedItem]) throws(PositionSourceError)
    /// Takes the end of the file; gives a line per kind of damage, for people.
    ///
    /// - Errors: why there is nothing in it that can be used.
    mutating func finish(into items: inout [RecordedItem]) throws(PositionSourceError) -> [String]
}

/// The positions of an NMEA recording.
struct NMEARecordingReader: RecordingReader {
    private let path: String
    private var decoder = NMEADecoder()
    private var events: [NMEAEvent] = []

    init(path: String) {
        self.path = path
    }

    mutating func read(_ bytes: Span<UInt8>, into items: inout [RecordedItem]) {
        decoder.decode(bytes, into: &events)
        take(into: &items)
    }

    mutating func finish(into items: inout [RecordedItem]) throws(PositionSourceError) -> [String] {
        decoder.finish(into: &events)
        take(into: &items)
        guard decoder.counters.sentences > 0 else {
            throw .unusable(path: path, reason: "holds no NMEA sentence in \(counted(decoder.counters.lines, "line"))")
        }
        return decoder.counters.summary
    }

    private mutating func take(into items: inout [RecordedItem]) {
        for case .epoch(let epoch) in events {
            items.append(epoch.position.map { .point($0, beginsSegment: false) } ?? .loss)
        }
        events.removeAll(keepingCapacity: true)
    }
}

/// The track points of a GPX file.
struct GPXRecordingReader: RecordingReader {
    private let path: String
    private var reader = GPXReader()
    /// The segment or route of the last point.
    private var lastPart: Int?

    init(path: String) {
        self.path = path
    }

    mutating func read(_ bytes: Span<UInt8>, into items: inout [RecordedItem]) throws(PositionSourceError) {
        var lastPart = lastPart
        do throws(GPXError) {
            try reader.read(bytes) { item in
                guard case .trackPoint(_, let segment) = item, let report = item.report else { return }
                guard case .position(let position) = report else { return items.append(.loss) }
                items.append(.point(position, beginsSegment: segment != lastPart))
                lastPart = segment
            }
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
        self.lastPart = lastPart
    }

    mutating func finish(into items: inout [RecordedItem]) throws(PositionSourceError) -> [String] {
        let summary: GPXSummary
        do throws(GPXError) {
            summary = try reader.finish()
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
        guard summary.trackPoints > 0 else {
            let hint = summary.routePoints > 0 ? "; to drive along its route use route:FILE" : ""
            throw .unusable(path: path, reason: "holds no track point\(hint)")
        }
        return summary.remarks
    }
}
