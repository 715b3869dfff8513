import Testing
import WaypostTestKit

@testable import Waypost

/// What a monitor's successor goes on with.
struct GeofenceStateTests {
    private func fences(near region: Coordinate) throws -> [Geofence] {
        var random = SeededGenerator(seed: 51)
        return try (0..<60).map { number in
            var fence = try RandomFences.fence(number, near: region, &random)
            if number % 3 == 0 { fence.dwellSeconds = 20 }
            return fence
        }
    }

    /// A drive with a Doppler velocity, and losses of the position now and then.
    private func drive(near region: Coordinate, count: Int) -> [Position] {
        var random = SeededGenerator(seed: 52)
        var place = RandomFences.place(near: region, within: 1_000, &random)
        var course = 0.0
        return (0..<count).map { second in
            course = (course + Double.random(in: -15...15, using: &random) + 360).truncatingRemainder(dividingBy: 360)
            let speed = second % 90 < 20 ? 0.1 : 15.0
            let fix = Position.fix(
                RandomFences.place(near: place, within: 4, &random), second: Double(second + second / 70 * 3), accuracy: 4, speed: speed,
                course: speed > 1 ? course : nil)
            place = Geodesic.end(from: place, azimuthDegrees: course, distanceMetres: speed).coordinate
            return fix
        }
    }

    private func word(_ event: GeofenceEvent) -> String { "\(event.id) \(event.fenceID) \(event.reason)" }

    /// No difference of two times overflows, whether they come from a file or from a program.
    @Test(arguments: [Int64.min, -62_135_596_800_001, 253_402_300_800_000, .max])
    func aTimeOutsideOfFourDigitYearsIsNone(milliseconds: Int64) throws {
        let (region, odd) = (RandomFences.regions[0], UTCTime(millisecondsSince1970: milliseconds))
        var monitor = GeofenceMonitor(fences: FenceIndex(try fences(near: region)))
        for fix in drive(near: region, count: 10) { _ = monitor.process(fix) }
        for change in [\GeofenceProgress.lostSince, \.lastTime] {
            var progress = monitor.state.progress
            progress[keyPath: change] = odd
            #expect(throws: GeofenceStateError.self) { try GeofenceProgress(decoding: progress.encoded()) }
        }
        let last = monitor.state.progress.lastTime
        monitor.lose(at: odd)
        #expect(monitor.state.progress.lostSince == last)
        for time in [odd, UTCTime(millisecondsSince1970: 0), odd] {
            var fix = Position.fix(region, second: 0, accuracy: 4)
            fix.time = time
            monitor.lose(at: time)
            _ = monitor.process(fix)
        }
        #expect(monitor.state.progress.lastTime == UTCTime(millisecondsSince1970: 0))
    }

    /// The successor takes over between any two fixes, from the bytes of the files.
    @Test(arguments: BorderRule.allCases)
    func goesOnAsIfNothingHadHappened(rule: BorderRule) throws {
        let region = RandomFences.regions[0]
        let index = FenceIndex(try fences(near: region))
        let path = drive(near: region, count: 1_000)
        var whole = GeofenceMonitor(fences: index, rule: rule)
        var relay = whole
        var (expected, found): ([GeofenceEvent], [GeofenceEvent]) = ([], [])
        for fix in path {
            expected += whole.process(fix)
            found += relay.process(fix)
            let state = relay.state
            let copy = GeofenceMonitorState(
                known: try GeofenceMonitorState.decode(known: GeofenceMonitorState.encode(known: state.known)),
                progress: try GeofenceProgress(decoding: state.progress.encoded()))
            #expect(copy == state)
            relay = GeofenceMonitor(fences: index, rule: rule)
            #expect(relay.restore(copy).isEmpty)
        }
        #expect(found.map(word) == expected.map(word))
        #expect(found.count > 20)
        #expect(found.map(\.time) == expected.map(\.time))
        for (event, twin) in zip(found, expected) where !event.isLate { #expect(event.crossedAt == twin.crossedAt) }
    }

    /// Each start numbers its visits after a base of its own, below or above that of the visits that go on.
    @Test(arguments: BorderRule.allCases)
    func goesOnWithNumbersOfItsOwn(rule: BorderRule) throws {
        let region = RandomFences.regions[0]
        var random = SeededGenerator(seed: 54)
        // Circles whose borders are close together, so that a fix leaves some and enters others.
        let fences = try (0..<200).map { number in
            let place = RandomFences.place(near: region, within: 300, &random)
            let size = Double.random(in: 100...900, using: &random)
            var fence = Geofence(id: "\(number)", shape: try .circle(centre: place, radiusMetres: size))
            if number % 3 == 0 { fence.dwellSeconds = 5 }
            return fence
        }
        let index = FenceIndex(fences)
        let path = drive(near: region, count: 400)
        var whole = GeofenceMonitor(fences: index, rule: rule)
        var relay = whole
        var (expected, found): ([GeofenceEvent], [GeofenceEvent]) = ([], [])
        for fix in path {
            expected += whole.process(fix)
            found += relay.process(fix)
            var state = relay.state
            state.progress.numberVisits(after: UInt64.random(in: 0..<1 << 53, using: &random))
            relay = GeofenceMonitor(fences: index, rule: rule)
            #expect(relay.restore(state).isEmpty)
        }
        #expect(found.count > 200)
        let unnumbered = { (event: GeofenceEvent) in "\(event.time?.millisecondsSince1970 ?? 0) \(event.kind) \(event.fenceID)" }
        #expect(found.map(unnumbered).sorted() == expected.map(unnumbered).sorted())
        #expect(Set(found.map(\.id)).count == found.count)
        var visits: [String: UInt64] = [:]
        for event in found {
            switch event.kind {
            case .enter: visits[event.fenceID] = event.visit
            case .dwell, .exit: if let entered = visits[event.fenceID] { #expect(event.visit == entered, "\(event.id)") }
            case .pass: #expect(event.visit != visits[event.fenceID])
            }
        }
    }

    @Test func callsNothingLateThatItSawItself() throws {
        let home = RandomFences.regions[0]
        let frame = LocalFrame(origin: home)
        let index = FenceIndex([Geofence(id: "yard", shape: try .circle(centre: home, radiusMetres: 100))])
        func fix(_ east: Double, _ second: Double) -> Position {
            .fix(
                frame.coordinate(PlanePoint(eastMetres: east, northMetres: 0)), second: second, accuracy: 3, speed: second < 30 ? 0 : 10,
                course: 90)
        }
        for rule in BorderRule.allCases {
            var monitor = GeofenceMonitor(fences: index, rule: rule)
            for second in 0..<20 { _ = monitor.process(fix(-150, Double(second))) }
            var successor = GeofenceMonitor(fences: index, rule: rule)
            #expect(successor.restore(monitor.state).isEmpty)
            // At rest outside after the restart, then in, a long time later.
            var events: [GeofenceEvent] = []
            for second in 20..<31 { events += successor.process(fix(-150, Double(second))) }
            for second in 31..<50 { events += successor.process(fix(-150 + 10 * Double(second - 30), Double(second))) }
            #expect(events.map(\.kind) == [.enter])
            #expect(events.allSatisfy { !$0.isLate && $0.crossedAt != nil })
        }
    }

    @Test func namesDamagedStates() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex(try fences(near: RandomFences.regions[0])))
        for fix in drive(near: RandomFences.regions[0], count: 60) { _ = monitor.process(fix) }
        let progress = monitor.progress.encoded()
        let known = GeofenceMonitorState.encode(known: monitor.state.known)
        #expect(progress.count < 4_000 && known.count < 8 * 60 + 12)
        for cut in 0..<progress.count {
            #expect(throws: GeofenceStateError.self) { try GeofenceProgress(decoding: Array(progress[..<cut])) }
        }
        for place in progress.indices {
            var damaged = progress
            damaged[place] ^= 0x10
            #expect(throws: GeofenceStateError.self) { try GeofenceProgress(decoding: damaged) }
        }
        #expect(throws: GeofenceStateError.foreign) { try GeofenceProgress(decoding: known) }
        #expect(throws: GeofenceStateError.foreign) { try GeofenceMonitorState.decode(known: Array("<html>".utf8)) }
    }

    /// A checksum that fits damaged bytes: whatever they say, it ends with an error or a value, and that is written alike.
    @Test func survivesAnyBytes() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex(try fences(near: RandomFences.regions[0])))
        for fix in drive(near: RandomFences.regions[0], count: 60) { _ = monitor.process(fix) }
        let sound = monitor.progress.encoded()
        var random = SeededGenerator(seed: 53)
        for _ in 0..<2_000 {
            var bytes = Array(sound.dropLast(4))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 5..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let checksum = CRC32C.checksum(bytes.span.bytes)
            for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
            guard let progress = try? GeofenceProgress(decoding: bytes) else { continue }
            #expect(try GeofenceProgress(decoding: progress.encoded()) == progress)
            var successor = GeofenceMonitor(fences: monitor.index)
            _ = successor.restore(GeofenceMonitorState(known: [], progress: progress))
        }
    }
}
