import Logging
import Waypost
import WaypostRecording

// What was erased while no tracker ran is forgotten at the next start.
extension LogFolder {
    /// The stretches that were erased and are not yet forgotten everywhere; a list that cannot be read is reported.
    func erasedStretches(logger: Logger) -> [Range<UTCTime>] {
        do throws(RecordingError) { return try erasedStretches() } catch {
            logger.error("what was erased from the log may still be known elsewhere: \(DaemonFailure(error).lines.joined())")
            return []
        }
    }

    /// Notes that these are forgotten everywhere; if that fails, it is done again at the next start.
    func settleErased(_ stretches: [Range<UTCTime>], logger: Logger) {
        do throws(RecordingError) { try settleErased(stretches) } catch {
            logger.warning("\(DaemonFailure(error).lines.joined())")
        }
    }
}
