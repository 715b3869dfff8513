import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// Lends the positions of the log to the dispatcher: those of the log's main type, as they were recorded.
///
/// - Concurrency: an actor on a thread of its own, which waits for the disk.
actor LogPositions: PositionSupply {
    private let folder: LogFolder
    private let type: LogTypes
    private let executor: ThreadExecutor
    /// Where the last one stopped, the next one mostly goes on.
    private var reader: LogReader

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(folder: LogFolder, types: [LogType]) throws(SystemError) {
        self.folder = folder
        type = types.first.map(LogTypes.init) ?? .raw
        executor = try ThreadExecutor(name: "log-positions")
        reader = LogReader(folder: folder)
    }

    func positions(after number: UInt64, through last: UInt64, limit: Int) throws(PositionSupplyError) -> PositionPage {
        // Between two records there may be others, of which a reader's cursor knows nothing.
        if reader.cursor != number { reader = LogReader(folder: folder, from: .after(number)) }
        var page = PositionPage(positions: [], through: number)
        do throws(RecordingError) {
            while page.positions.count < limit, let record = try reader.next() {
                if record.sequence > last { break }
                page.through = record.sequence
                guard case .position(let position) = record.content, record.types.contains(type) else { continue }
                page.positions.append(NumberedPosition(number: record.sequence, position: position))
            }
        } catch {
            throw PositionSupplyError(reason: DaemonFailure(error).lines.joined())
        }
        return page
    }

    func newestNumber() throws(PositionSupplyError) -> UInt64 {
        do throws(RecordingError) { return try folder.lastSequence() } catch {
            throw PositionSupplyError(reason: DaemonFailure(error).lines.joined())
        }
    }
}
