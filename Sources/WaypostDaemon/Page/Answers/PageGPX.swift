import Waypost
import WaypostRecording
import WaypostSystem

/// A stretch of the log as a GPX file, made piece by piece as a browser takes it: a day at ten fixes a second is 300 MB.
///
/// It works on the thread that reads the log, and other readings come between its pieces.
actor PageGPX {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private enum Stage {
        case events([TrackerEvent])
        case positions
        case ended
    }

    private let start: UTCTime
    private let end: UTCTime?
    private let type: LogTypes
    private var reader: LogReader
    private var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)")
    private var stage: Stage

    private static let pieceByteCount = 60_000

    /// - Parameter events: those of the stretch; they come before all positions.
    init(_ folder: LogFolder, from start: UTCTime, to end: UTCTime?, type: LogTypes, events: [TrackerEvent], executor: ThreadExecutor) {
        (self.start, self.end, self.type, self.executor) = (start, end, type, executor)
        reader = LogReader(folder: folder, from: .from(start))
        stage = .events(events)
    }

    /// The next piece; nil at the end.
    func next() throws(RecordingError) -> [UInt8]? {
        var text = TextBuffer(capacity: PageGPX.pieceByteCount + 4_096)
        switch stage {
        case .ended: return nil
        case .events(let events):
            writer.begin(time: start, into: &text)
            for event in events {
                guard var position = event.position else { continue }
                position.time = event.time
                writer.waypoint(GPXPoint(position, name: event.name, description: event.kind), into: &text)
            }
            stage = .positions
        case .positions: break
        }
        while text.count < PageGPX.pieceByteCount {
            guard let record = try reader.nextPassingOver() else { return finish(text) }
            guard !record.types.isDisjoint(with: reader.header.mainType(or: type)) else { continue }
            switch record.content {
            case .position(let position):
                if let end, let time = position.time, time >= end { return finish(text) }
                writer.point(position, into: &text)
            case .segmentBreak: writer.breakSegment(into: &text)
            case .event, .lost, .other: break
            }
        }
        return text.bytes
    }

    private func finish(_ text: consuming TextBuffer) -> [UInt8] {
        stage = .ended
        writer.end(into: &text)
        return text.bytes
    }
}
