import Synchronization
import Waypost
import WaypostSystem

/// What time it is, as far as fixes or a time server confirm it; for everybody who asks.
final class ConfirmedClock: Sendable {
    private let time = Mutex(ConfirmedTime())

    /// Takes the time of a measured fix.
    func process(_ fix: UTCTime) {
        time.withLock { $0.process(fix, at: BootClock.milliseconds) }
    }

    /// Takes the machine's clock while something keeps it right.
    func trustSynchronizedClock() {
        guard let milliseconds = WallClock.millisecondsIfSynchronized else { return }
        time.withLock { $0.trust(UTCTime(millisecondsSince1970: milliseconds), at: BootClock.milliseconds) }
    }

    /// What time it is; nil while nothing confirms it.
    var now: UTCTime? {
        if let now = time.withLock({ $0.time(at: BootClock.milliseconds) }) { return now }
        return WallClock.millisecondsIfSynchronized.map(UTCTime.init(millisecondsSince1970:))
    }
}
