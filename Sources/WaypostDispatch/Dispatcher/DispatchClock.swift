import Waypost
import WaypostSystem

/// The two clocks of dispatching: one that never jumps, and what time it is as far as anybody knows.
public struct DispatchClock: Sendable {
    /// Milliseconds since the machine was started; runs while it sleeps.
    public var bootMilliseconds: @Sendable () -> Int64
    /// What time it is; nil while nothing confirms it.
    public var confirmedTime: @Sendable () -> UTCTime?
    /// The same, for what cannot be undone: nil also while something contradicts it.
    public var certainTime: @Sendable () -> UTCTime?

    /// A clock from its parts.
    ///
    /// - Parameters:
    ///   - bootMilliseconds: a clock that never jumps and also runs while the machine sleeps (CLOCK_BOOTTIME).
    ///   - confirmedTime: the time of day; nil while nobody knows it.
    ///   - certainTime: nil when the confirmed time is as good.
    public init(
        bootMilliseconds: @escaping @Sendable () -> Int64, confirmedTime: @escaping @Sendable () -> UTCTime?,
        certainTime: (@Sendable () -> UTCTime?)? = nil
    ) {
        self.bootMilliseconds = bootMilliseconds
        self.confirmedTime = confirmedTime
        self.certainTime = certainTime ?? confirmedTime
    }

    /// The system's, which knows the time while something keeps it right (NTP).
    public static let system = DispatchClock(
        bootMilliseconds: { BootClock.milliseconds },
        confirmedTime: { WallClock.millisecondsIfSynchronized.map(UTCTime.init(millisecondsSince1970:)) })

    /// How long ago something happened; nil when nobody knows.
    ///
    /// Of this start of the machine the boot clock knows; of earlier ones only the time of day, when both moments have one.
    func age(of moment: RecordMoment) -> Duration? {
        if moment.bootIdentity == BootIdentity.bytes {
            return .milliseconds(max(0, bootMilliseconds() - moment.bootMilliseconds))
        }
        guard let time = moment.time else { return nil }
        return age(of: time)
    }

    /// How long ago a moment was; nil when nobody knows what time it is.
    func age(of time: UTCTime) -> Duration? {
        confirmedTime().map { .milliseconds(max(0, $0.millisecondsSince1970 - time.millisecondsSince1970)) }
    }
}

/// When something was taken, by the clocks there are.
struct RecordMoment: Sendable, Hashable {
    var bootIdentity: [UInt8]
    var bootMilliseconds: Int64
    var time: UTCTime?
}
