import Waypost
import WaypostSystem

/// The two clocks of dispatching: one that never jumps, and the time of day as far as it is known.
public struct DispatchClock: Sendable {
    /// Milliseconds since the machine was started; keeps running while it sleeps.
    public var bootMilliseconds: @Sendable () -> Int64
    /// The time of day; nil while nothing confirms it.
    public var confirmedTime: @Sendable () -> UTCTime?
    /// The time of day for actions that cannot be undone: nil also while something contradicts it.
    public var certainTime: @Sendable () -> UTCTime?

    /// A clock from its parts.
    ///
    /// - Parameters:
    ///   - bootMilliseconds: a clock that never jumps and also runs while the machine sleeps (CLOCK_BOOTTIME).
    ///   - confirmedTime: the time of day; nil while it is unknown.
    ///   - certainTime: nil when the confirmed time is certain enough.
    public init(
        bootMilliseconds: @escaping @Sendable () -> Int64, confirmedTime: @escaping @Sendable () -> UTCTime?,
        certainTime: (@Sendable () -> UTCTime?)? = nil
    ) {
        self.bootMilliseconds = bootMilliseconds
        self.confirmedTime = confirmedTime
        self.certainTime = certainTime ?? confirmedTime
    }

    /// The system's clock, which knows the time while something keeps it correct (NTP).
    public static let system = DispatchClock(
        bootMilliseconds: { BootClock.milliseconds },
        confirmedTime: { WallClock.millisecondsIfSynchronized.map(UTCTime.init(millisecondsSince1970:)) })

    /// How long ago something happened; nil when that is unknown.
    ///
    /// For this start of the machine the boot clock knows; for earlier ones only the time of day, when both moments have one.
    func age(of moment: RecordMoment) -> Duration? {
        if moment.bootIdentity == BootIdentity.bytes {
            return .milliseconds(max(0, bootMilliseconds() - moment.bootMilliseconds))
        }
        guard let time = moment.time else { return nil }
        return age(of: time)
    }

    /// How long ago a moment was; nil when the time of day is unknown.
    func age(of time: UTCTime) -> Duration? {
        confirmedTime().map { .milliseconds(max(0, $0.millisecondsSince1970 - time.millisecondsSince1970)) }
    }
}

/// The moment at which something was accepted, by the clocks there are.
struct RecordMoment: Sendable, Hashable {
    var bootIdentity: [UInt8]
    var bootMilliseconds: Int64
    var time: UTCTime?
}
