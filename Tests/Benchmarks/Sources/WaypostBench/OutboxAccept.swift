import Glibc
import Waypost
import WaypostDispatch
import WaypostSystem

/// How many events a second are safe on the disk, one by one and many at a time, beside as many plain fdatasync calls in the same minute.
///
/// The rounds take turns, so that a disk that is slower for a while is so for all.
enum OutboxAccept {
    private static let rounds = 5
    private static let single = 200
    private static let group = (count: 20, size: 1_000)

    static func run(folder: String) async throws {
        // As in the tracker.
        try TaskPool.install()
        let clock = DispatchClock(bootMilliseconds: { Int64(seconds(CLOCK_BOOTTIME) * 1_000) }, confirmedTime: { nil })
        let outbox = try Outbox(path: folder + "/outbox.sqlite", clock: clock)
        // As on a device without a network: it waits, and is not dropped as had by everybody.
        _ = try await outbox.attach("server", newestPosition: 0)
        var times = (plain: [Double](), accepted: [Double](), grouped: [Double]())
        for _ in 0..<rounds {
            times.plain.append(try plain(folder))
            var begin = now()
            for number in 0..<single { try await outbox.accept([call(number)]) }
            times.accepted.append(now() - begin)
            begin = now()
            for _ in 0..<group.count { try await outbox.accept((0..<group.size).map(call)) }
            times.grouped.append(now() - begin)
        }
        let plainRate = Double(single) / median(times.plain)
        let rate = Double(single) / median(times.accepted)
        print(
            """
            | | per second |
            |---|---|
            | plain fdatasync of 512 bytes | \(Int(plainRate)) |
            | events accepted, one commit each | \(Int(rate)) (\(Int((rate / plainRate * 100).rounded())) % of it) |
            | events accepted, \(group.size) a commit | \(Int(Double(group.count * group.size) / median(times.grouped))) |
            """)
    }

    private static func call(_ number: Int) -> OutboxEntry {
        let time = UTCTime(millisecondsSince1970: Int64(seconds(CLOCK_REALTIME) * 1_000))
        return .track(TrackCall(name: "event", values: ["n": .integer(Int64(number))], time: time, position: nil))
    }

    /// Appends to a file, every time to the disk.
    private static func plain(_ folder: String) throws -> Double {
        let descriptor = open(folder + "/plain", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { WaypostBench.fail("waypost-bench: cannot write to \(folder)", status: 73) }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 0x78, count: 512)
        let begin = now()
        for _ in 0..<single {
            guard write(descriptor, bytes, bytes.count) == bytes.count, fdatasync(descriptor) == 0 else {
                WaypostBench.fail("waypost-bench: cannot write to \(folder)", status: 74)
            }
        }
        return now() - begin
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func now() -> Double { seconds(CLOCK_MONOTONIC) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
