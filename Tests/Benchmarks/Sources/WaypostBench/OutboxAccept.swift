import Glibc
import Waypost
import WaypostDispatch

/// How many events a second are safe on the disk, one by one and many at a time, beside as many plain fdatasync calls in the same minute.
///
/// The rounds take turns, so that a disk that is slower for a while is so for all.
enum OutboxAccept {
    private static let rounds = 5
    private static let single = 200
    private static let group = (count: 20, size: 1_000)

    static func run(folder: String) async throws {
        let clock = DispatchClock(bootMilliseconds: { milliseconds(CLOCK_BOOTTIME) }, confirmedTime: { nil })
        let outbox = try Outbox(path: folder + "/outbox.sqlite", clock: clock)
        var seconds = (plain: [Double](), accepted: [Double](), grouped: [Double]())
        for _ in 0..<rounds {
            seconds.plain.append(try plain(folder))
            var begin = now()
            for number in 0..<single { try await outbox.accept([call(number)]) }
            seconds.accepted.append(now() - begin)
            begin = now()
            for _ in 0..<group.count { try await outbox.accept((0..<group.size).map(call)) }
            seconds.grouped.append(now() - begin)
        }
        let plainRate = Double(single) / median(seconds.plain)
        let rate = Double(single) / median(seconds.accepted)
        print(
            """
            | | per second |
            |---|---|
            | plain fdatasync of 512 bytes | \(Int(plainRate)) |
            | events accepted, one commit each | \(Int(rate)) (\(Int((rate / plainRate * 100).rounded())) % of it) |
            | events accepted, \(group.size) a commit | \(Int(Double(group.count * group.size) / median(seconds.grouped))) |
            """)
    }

    private static func call(_ number: Int) -> OutboxEntry {
        .track(TrackCall(name: "event", values: ["n": .integer(Int64(number))], time: nil, position: nil))
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

    private static func now() -> Double { Double(milliseconds(CLOCK_MONOTONIC)) / 1_000 }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
