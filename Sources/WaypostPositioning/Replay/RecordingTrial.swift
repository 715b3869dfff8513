import Waypost
import WaypostSystem

/// How far a recording can be read, and what is damaged in it, without playing it.
///
/// - Cost: reads the file to its end, or to the first ``mostBytes`` of what it unpacks to; memory for a piece.
package struct RecordingTrial {
    /// How much is read at most: two days of a fix a second as GPX.
    package static let mostBytes = 32 << 20
    private static let pieceBytes = 65_536

    private var found = Found()
    /// What is wrong, one line for people per kind.
    private var damage: [String] = []
    /// Whether the end was reached.
    private var isComplete = false
    private let path: String

    /// Reads a recording.
    ///
    /// - Parameters:
    ///   - countsRoutes: whether the points of routes are positions, too.
    ///   - mostBytes: how much is read at most.
    package init(
        path: String, format: RecordingFormat, countsRoutes: Bool = false, mostBytes: Int = RecordingTrial.mostBytes
    ) throws(SystemError) {
        self.path = path
        found.countsRoutes = countsRoutes
        var file = try RecordingFile(path: path, decoder: format.makeDecoder())
        for _ in 0..<max(1, mostBytes / RecordingTrial.pieceBytes) where !isComplete {
            let goesOn = try file.read(into: &found)
            isComplete = !goesOn || file.decoder.refusal != nil
        }
        damage = file.decoder.warnings
        if let refusal = file.decoder.refusal { damage.append(refusal) }
        if let problem = file.gzipProblem { damage.append(problem == .followed ? "\(problem), which is not read" : "\(problem)") }
    }

    /// The finding in one line for people; nil when all of it can be read.
    ///
    /// `drive.gpx.gz: the gzip file is cut; 1602 positions can be read, the last of 2026-03-01T12:00:13.000Z`.
    package var remark: String? {
        guard !isComplete || !damage.isEmpty else { return nil }
        var words = counted(found.count, "position") + " can be read"
        if let time = found.lastTime {
            var text = TextBuffer()
            text.append(time)
            words += ", the last of \(text.string)"
        }
        let parts = damage + [isComplete ? words : "\(words); what comes later was not tried"]
        return "\(path): \(parts.joined(separator: "; "))"
    }

    /// Counts positions.
    private struct Found: RecordingSink {
        var countsRoutes = false
        var count = 0
        var lastTime: UTCTime?

        mutating func add(_ position: Position) {
            count += 1
            lastTime = position.time ?? lastTime
        }

        mutating func add(_ item: RecordingItem) {
            switch item {
            case .report(.position(let position)): add(position)
            case .item(.trackPoint(let point, _)) where point.fix != GPXFix.none: add(point.position)
            case .item(.routePoint(let point, _)) where countsRoutes: add(point.position)
            case .report, .item: break
            }
        }
    }
}
