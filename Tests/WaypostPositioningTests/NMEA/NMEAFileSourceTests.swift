import Foundation
import Synchronization
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem

@Suite struct NMEAFileSourceTests {
    private let line = "$GPRMC,193221.00,A,2037.7279,N,08704.0848,W,00.1,201.8,231207,01,W,A*2D\r\n"

    @Test func playsAFileAtOnceAndEnds() async throws {
        let path = try write(recording(seconds: 0..<20))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let events = try await events(of: NMEAFileSource(path: path, speed: 0))
        #expect(events.filter { if case .position = $0 { true } else { false } }.count == 20)
        #expect(events.last == .finished)
        guard case .position(let first) = events.first else {
            Issue.record("no position first: \(events)")
            return
        }
        #expect(first.source == "nmea:\(path)")
        #expect(first.time == UTCTime(year: 2026, month: 3, day: 1, millisecondOfDay: 21_600_000))
    }

    @Test func pacesAFileByItsOwnTimes() async throws {
        let path = try write(recording(seconds: 0..<11))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let start = ContinuousClock.now
        _ = try await events(of: NMEAFileSource(path: path, speed: 20))
        let elapsed = ContinuousClock.now - start
        #expect(elapsed >= .milliseconds(490), "10 s at 20 times: \(elapsed)")
        #expect(elapsed < .seconds(9), "not in real time: \(elapsed)")
    }

    @Test func readsAFIFOAsItComesWithoutWaitingForTheNextEpoch() async throws {
        let path = NSTemporaryDirectory() + "waypost-fifo-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let log = Mutex<[PositionSourceEvent]>([])
        let task = Task {
            try await NMEAFileSource(path: path).run { event in log.withLock { $0.append(event) } }
        }
        try await Task.sleep(for: .milliseconds(200))
        let writer = try #require(FileHandle(forWritingAtPath: path))
        writer.write(Data(line.utf8))
        try await Task.sleep(for: .milliseconds(700))
        #expect(log.withLock { $0.count } == 1, "a quiet gap ends the epoch")
        try writer.close()
        try await task.value
        #expect(log.withLock { $0.last } == .finished)
    }

    @Test func endsWithinASecondWhenCancelledOnAFIFOWithoutWriter() async throws {
        let path = NSTemporaryDirectory() + "waypost-fifo-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let task = Task { try await NMEAFileSource(path: path).run { _ in } }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        task.cancel()
        try await task.value
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test func refusesWhatHoldsNoNMEA() async throws {
        let path = try write("hello\nworld\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(throws: PositionSourceError.unusable(path: path, reason: "holds no NMEA sentence in 2 lines")) {
            _ = try await events(of: NMEAFileSource(path: path, speed: 0))
        }
        await #expect(throws: PositionSourceError.cannotOpen(path: "/tmp", reason: "Is a directory")) {
            _ = try await events(of: NMEAFileSource(path: "/tmp"))
        }
    }

    @Test func saysWhatWasDamaged() async throws {
        let path = try write(line + line.replacingOccurrences(of: "*2D", with: "*2E") + "noise\r\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let events = try await events(of: NMEAFileSource(path: path, speed: 0))
        #expect(events.contains(.status(.warning("sentences with a wrong checksum: 1, first at line 2"))))
        #expect(events.contains(.status(.warning("lines with bytes that are not NMEA: 1, first at line 3"))))
    }

    private func events(of source: NMEAFileSource) async throws -> [PositionSourceEvent] {
        let log = Mutex<[PositionSourceEvent]>([])
        try await source.run { event in log.withLock { $0.append(event) } }
        return log.withLock { $0 }
    }

    private func write(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "waypost-\(UUID().uuidString).nmea"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    /// RMC sentences, one a second from 06:00:00 on.
    private func recording(seconds: Range<Int>) -> String {
        seconds.map { second in
            let clock = String(format: "0600%02d.00", second)
            let body = "GNRMC,\(clock),A,4717.1123,N,00833.9185,E,15.5,123.4,010326,,,A"
            let checksum = body.utf8.reduce(0) { $0 ^ $1 }
            return "$\(body)*\(String(format: "%02X", checksum))\r\n"
        }.joined()
    }
}
