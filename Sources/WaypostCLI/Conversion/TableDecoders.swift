import Waypost

/// KML as tracks and waypoints.
struct KMLReportDecoder: ReportDecoder {
    private var reader = KMLTrackReader()
    private(set) var refusal: String?

    var warnings: [String] { reader.remarks }
    var hasContent: Bool { reader.pointCount > 0 }

    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        do throws(KMLError) {
            try reader.read(bytes) { sink.add(.item($0)) }
        } catch {
            refusal = error.description
        }
    }

    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        do throws(KMLError) {
            try reader.finish { sink.add(.item($0)) }
        } catch {
            refusal = error.description
        }
    }
}

/// Comma-separated values as reports.
struct CSVReportDecoder: ReportDecoder {
    private var reader = CSVReader()
    private(set) var refusal: String?

    var warnings: [String] { reader.remarks }
    var hasContent: Bool { reader.reportCount > 0 }

    mutating func decode<Sink: RecordingSink & ~Copyable>(_ bytes: Span<UInt8>, into sink: inout Sink) {
        do throws(CSVError) {
            try reader.read(bytes) { CSVReportDecoder.give($0, to: &sink) }
        } catch {
            refusal = error.description
        }
    }

    mutating func finish<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) {
        do throws(CSVError) {
            try reader.finish { CSVReportDecoder.give($0, to: &sink) }
        } catch {
            refusal = error.description
        }
    }

    private static func give<Sink: RecordingSink & ~Copyable>(_ report: PositionReport, to sink: inout Sink) {
        if case .position(let position) = report { sink.add(position) } else { sink.add(.report(report)) }
    }
}
