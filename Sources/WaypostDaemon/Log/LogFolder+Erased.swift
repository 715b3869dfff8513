import Logging
import Waypost
import WaypostRecording

// What was erased while no tracker ran is forgotten when the next one starts.
extension LogFolder {
    /// The stretches that were erased and are not forgotten everywhere yet; a list that cannot be read is told.
    func erasedStretches(logger: Logger) -> [Range<UTCTime>] {
        do throws(RecordingError) { return try erasedStretches() } catch {
            logger.error("what was erased from the log may still be known elsewhere: \(DaemonFailure(error).lines.joined())")
            return []
        }
    }

    /// Takes that these are forgotten everywhere; else it is done again at the next start.
    func settleErased(_ stretches: [Range<UTCTime>], logger: Logger) {
        do throws(RecordingError) { try settleErased(stretches) } catch {
            logger.warning("\(DaemonFailure(error).lines.joined())")
        }
    }
}
