import Logging
import Synchronization
import Waypost
import WaypostPositioning
import WaypostSystem

/// The current time, as far as fixes or a time server confirm it; shared by the whole tracker.
///
/// A settled date is kept in the state folder while the machine runs: it contradicts a receiver that is wrong after a restart of the tracker.
/// The date of a recording counts only while it is played and nothing else tells the time; nothing is deleted by it, and it is not kept.
final class ConfirmedClock: Sendable {
    private struct State {
        var time: ConfirmedTime
        /// The date of what is played now.
        var played: ConfirmedTime?
        /// The last source, and whether it plays a recording.
        var source: (name: String?, isPlayed: Bool) = (nil, false)
        var stored: ConfirmedTime.Anchor?
        var isDoubtTold = false
    }

    private let state: Mutex<State>
    private let path: String
    private let logger: Logger

    init(folder: String, logger: Logger) {
        path = folder + "/confirmed-time"
        self.logger = logger
        let stored = ConfirmedClock.load(path)
        state = Mutex(State(time: ConfirmedTime(settled: stored), stored: stored))
    }

    /// Processes the time of a measured fix.
    func process(_ fix: UTCTime, from source: String?) {
        let isPlayed = state.withLock { state in
            if state.source.name != source {
                state.source = (source, source.flatMap { SourceRegistry.isPlayed(named: $0) } ?? false)
                state.played = nil
            }
            if state.source.isPlayed {
                state.played = state.played ?? ConfirmedTime()
                state.played?.process(fix, from: source, at: BootClock.milliseconds)
            }
            return state.source.isPlayed
        }
        if !isPlayed { update { $0.process(fix, from: source, at: BootClock.milliseconds) } }
    }

    /// The current time; nil while nothing confirms it.
    var now: UTCTime? {
        let clock = BootClock.milliseconds
        let (known, played) = state.withLock { ($0.time.time(at: clock), $0.played?.time(at: clock)) }
        return known ?? WallClock.millisecondsIfSynchronized.map(UTCTime.init(millisecondsSince1970:)) ?? played
    }

    /// The time for what may be a little off, such as the end of a guest's link: also that of a clock which nobody confirms, but somebody has set.
    var likelyNow: UTCTime? {
        now ?? (WallClock.milliseconds >= ConfirmedClock.floor ? UTCTime(millisecondsSince1970: WallClock.milliseconds) : nil)
    }

    /// A clock before this was never set: 2026-01-01.
    private static let floor: Int64 = 1_767_225_600_000

    /// The same, for irreversible actions: nil also while the date is new, or while the receiver contradicts what is known.
    var certainNow: UTCTime? {
        if let milliseconds = WallClock.millisecondsIfSynchronized {
            let now = UTCTime(millisecondsSince1970: milliseconds)
            update { $0.trust(now, at: BootClock.milliseconds) }
            return now
        }
        return state.withLock { $0.time.certainTime(at: BootClock.milliseconds) }
    }

    /// Why nothing counts as too old now, for people; nil when no date is in doubt.
    var problem: String? {
        let time = state.withLock { $0.time }
        guard let told = time.doubted, let known = time.time(at: told.clockMilliseconds) else { return nil }
        return
            "the receiver says \(ConfirmedClock.second(told.time)), but it is \(ConfirmedClock.second(known)) by the date confirmed before; "
            + "until another source agrees, or an hour has passed, no track is deleted for its age"
    }

    /// A moment for people, to the second: `2026-11-26 00:31:58 UTC`.
    private static func second(_ time: UTCTime) -> String {
        let format = ScreenFormat()
        return "\(format.day(time)) \(format.timeOfDay(time).prefix("15:25:00".count)) UTC"
    }

    private func update(_ body: (inout ConfirmedTime) -> Void) {
        let (news, isDoubtNew) = state.withLock { state in
            body(&state.time)
            let isDoubted = state.time.doubted != nil
            defer { state.isDoubtTold = isDoubted }
            return (ConfirmedClock.takeNews(&state), isDoubted && !state.isDoubtTold)
        }
        if isDoubtNew, let problem { logger.warning("\(problem)") }
        guard let news else { return }
        do throws(SystemError) {
            let text = "\(SHA256.hexadecimal(BootIdentity.bytes)) \(news.clockMilliseconds) \(news.time.millisecondsSince1970)\n"
            try AtomicFile.write(Array(text.utf8), to: path, mode: 0o600)
        } catch {
            // A receiver that is wrong after the next start is then believed, as after a start of the machine.
            logger.debug("\(error.description)")
        }
    }

    /// What the previous run had settled since the machine was started; nil when that is missing or invalid.
    private static func load(_ path: String) -> ConfirmedTime.Anchor? {
        guard let bytes = (try? Syscalls.contents(of: path, as: .own)) ?? nil else { return nil }  // See above.
        let words = bytes.split { $0 <= UInt8(ascii: " ") }.map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[0] == SHA256.hexadecimal(BootIdentity.bytes), let clock = Int64(words[1]),
            let time = Int64(words[2]), (0...BootClock.milliseconds).contains(clock)
        else { return nil }
        let settled = UTCTime(millisecondsSince1970: time)
        return settled.hasFourDigitYear ? .init(time: settled, clockMilliseconds: clock) : nil
    }

    /// The anchor to store: the first settled date, and later each one that differs.
    private static func takeNews(_ state: inout State) -> ConfirmedTime.Anchor? {
        guard let settled = state.time.settled else { return nil }
        if let stored = state.stored,
            stored.distance(to: settled.time, at: settled.clockMilliseconds) <= ConfirmedTime.correctionMilliseconds
        {
            return nil
        }
        state.stored = settled
        return settled
    }
}
