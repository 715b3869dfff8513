import Synchronization
import Waypost
import WaypostDispatch
import WaypostRecording

/// A day of one fix a second with all fields into a log, and from there to a server every 120 s, on a clock that runs as fast as the machine can.
enum LogDay {
    /// A server that takes everything, and the log as the dispatcher sees it.
    private final class Server: Destination, PositionSupply {
        let maximumBatchCount = 1_000
        let waiting = Mutex<[NumberedPosition]>([])
        let takenCount = Mutex(0)

        func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
            takenCount.withLock { $0 += batch.records.count }
            return .delivered(refused: [:], answer: "200")
        }

        func positions(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> PositionPage {
            let found = waiting.withLock { $0.filter { $0.number > number && $0.number <= last }.prefix(limit) }
            return PositionPage(positions: Array(found), through: found.last?.number ?? number)
        }

        func count(after number: UInt64, through last: UInt64) async throws(PositionSupplyError) -> Int {
            waiting.withLock { $0.count { $0.number > number && $0.number <= last } }
        }

        func newestNumber() async throws(PositionSupplyError) -> UInt64 { waiting.withLock { $0.last?.number ?? 0 } }
    }

    static func run(folder: String, seconds: Int = 86_400) async throws {
        // 2026-05-02T00:00:00Z: one UTC day, one track.
        let start = UTCTime(millisecondsSince1970: 1_777_680_000_000)
        let recorder = try TrackRecorder(folder: folder)
        let server = Server()
        let now = Mutex<Int64>(0)
        let clock = DispatchClock(
            bootMilliseconds: { now.withLock { $0 } }, confirmedTime: { start.advanced(byMilliseconds: now.withLock { $0 }) })
        let dispatcher = Dispatcher(
            outbox: try Outbox(path: folder + "/outbox.sqlite", clock: clock), supply: server, device: "box", clock: clock)
        try await dispatcher.attach(server, DestinationSettings(name: "server", schedule: .init(interval: .zero, phaseOf: "box")))
        for second in 0..<seconds {
            let position = fix(second, start)
            try await recorder.record(position, now: Int64(second) * 1_000_000_000)
            server.waiting.withLock {
                $0.append(NumberedPosition(number: UInt64(second) + 1, position: position, origin: RecordOrigin(logFolder: "bench")))
            }
            now.withLock { $0 = Int64(second) * 1_000 }
            if second % 120 == 119 {
                _ = try await dispatcher.dispatch()
                server.waiting.withLock { $0 = [] }
            }
            // As the tracker does when no fix comes at the deadline: half a second later.
            try await recorder.synchronizeIfDue(now: Int64(second) * 1_000_000_000 + 500_000_000)
        }
        let track = try await recorder.close()
        let statistics = await recorder.statistics
        let sent = server.takenCount.withLock { $0 }
        print(
            "\(track?.positionCount ?? 0) fixes, \(sent) of them sent, journal \(statistics.synchronizationCount) times to the disk, "
                + "\(statistics.journalByteCount) bytes of journal, \(statistics.trackByteCount) of GPX")
    }

    /// A drive along a winding road, with what gpsd gives of a receiver; figures change as real ones do.
    private static func fix(_ second: Int, _ start: UTCTime) -> Position {
        func wave(_ period: Int, _ decimals: Double) -> Double {
            let phase = Double((second * 7_919 + second * second % 104_729) % period) / Double(period)
            return (phase * decimals).rounded() / decimals
        }
        let place = Coordinate(
            latitudeDegrees: ((47.1 + Double(second) * 0.000_012_7 + wave(97, 1e7) * 1e-5) * 1e9).rounded() / 1e9,
            longitudeDegrees: ((9.52 + Double(second) * 0.000_008_3 + wave(89, 1e7) * 1e-5) * 1e9).rounded() / 1e9)
        guard let place else { preconditionFailure("a place") }
        var position = Position(time: start.advanced(byMilliseconds: Int64(second) * 1_000), coordinate: place, mode: .threeDimensional)
        position.status = .gps
        position.altitudeMSLMetres = ((512 + wave(311, 1e3) * 10) * 1e3).rounded() / 1e3
        position.geoidSeparationMetres = 47.3
        position.altitudeHAEMetres = ((512 + wave(311, 1e3) * 10 + 47.3) * 1e3).rounded() / 1e3
        position.speedMetresPerSecond = 12 + wave(211, 1e3)
        position.courseDegrees = 90 + wave(199, 1e4)
        position.climbMetresPerSecond = ((-0.5 + wave(101, 1e2)) * 1e2).rounded() / 1e2
        position.quality.eph = 4 + wave(53, 1e2)
        position.quality.epv = 7 + wave(59, 1e2)
        position.quality.eps = 0.8 + wave(61, 1e2)
        position.quality.hdop = 0.8 + wave(31, 1e2)
        position.quality.vdop = 1.2 + wave(37, 1e2)
        // A receiver's three dilutions are those of one geometry.
        position.quality.pdop = position.quality.impliedPDOP
        position.quality.satellitesUsed = 9 + second % 4
        position.accuracy = HorizontalAccuracy(
            radiusMetres: RangeErrorModel.radius68(radius95Metres: position.quality.eph ?? 4), origin: .gpsd)
        position.source = "gpsd://localhost:2947"
        return position
    }
}
