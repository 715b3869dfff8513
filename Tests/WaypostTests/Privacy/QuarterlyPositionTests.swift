import Testing

@testable import Waypost

/// When those learn something who may only know roughly where the device is.
@Suite struct QuarterlyPositionTests {
    /// The beginning of a quarter of an hour.
    private static let start: Int64 = 1_777_692_600_000

    private func time(_ seconds: Int64) -> UTCTime { UTCTime(millisecondsSince1970: QuarterlyPositionTests.start + seconds * 1_000) }

    private func position(_ latitude: Double, _ seconds: Int64) throws -> Position {
        Position(time: time(seconds), coordinate: try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: 8)))
    }

    /// What is told each second of two hours, for a device that is at a latitude, withheld (nil), or gives no position (.nan).
    private func told(_ seconds: Range<Int64> = 0..<7_200, from first: Double? = 47, _ place: (Int64) -> Double?) throws -> [Int64: String]
    {
        var quarterly = QuarterlyPosition(
            resuming: try first.map { try position($0, -1_800) }, at: time(seconds.lowerBound), clock: seconds.lowerBound * 1_000)
        var changes: [Int64: String] = [:]
        var before = "?"
        for second in seconds {
            switch place(second) {
            case nil: quarterly.withhold(clock: second * 1_000)
            case let latitude? where latitude.isNaN: break
            case let latitude?: quarterly.process(try position(latitude, second), clock: second * 1_000)
            }
            quarterly.look(clock: second * 1_000)
            let words =
                quarterly.told.map { "\($0.position.coordinate.latitudeDegrees) \($0.position.time?.millisecondsSince1970 ?? 0)" } ?? "-"
            if words != before { changes[second] = words }
            before = words
        }
        return changes
    }

    /// A receiver's date that runs ahead tells no more than the right one does; a recording has its own time.
    @Test(arguments: [true, false]) func aDateThatRunsAheadTellsNoMore(isLive: Bool) throws {
        var quarterly = QuarterlyPosition(at: time(0), clock: 0)
        var changes: [Int64] = []
        var before: Int64?
        for second in Int64(0)..<7_200 {
            var position = try position(47 + Double(second) / 10_000, second + second / 60 * 900)
            if isLive { position.moment.milliseconds = second * 1_000 }
            quarterly.process(position, clock: second * 1_000)
            if quarterly.told?.quarter != before { changes.append(second) }
            before = quarterly.told?.quarter
        }
        let inAnyHour = changes.map { start in changes.count { (start..<start + 3_300).contains($0) } }.max() ?? 0
        #expect(isLive ? (4...5).contains(inAnyHour) && changes.count <= 13 : changes.count > 100, "\(changes)")
    }

    /// Zones, tunnels, cells: whatever happens at any second, only the quarter of an hour shows it.
    @Test(arguments: 0..<50) func changesOnTheQuarterOnly(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) * 97 + 5)
        var (kind, until, latitude) = (0, Int64(0), 47.0)
        let changes = try told { second in
            if second >= until {
                until = second + Int64(random.next() % 1_500)
                kind = Int(random.next() % 4)
                latitude = 47 + Double(random.next() % 100) / 200
            }
            return kind == 0 ? nil : kind == 1 ? .nan : latitude
        }
        #expect(changes.keys.allSatisfy { $0 % 900 == 0 }, "\(changes.keys.sorted())")
    }

    /// It goes with the quarter after the edge, and comes back with that after the other edge.
    @Test func aZoneIsSeenOnTheQuarterOnly() throws {
        let changes = try told { (1_000..<2_300).contains($0) ? nil : $0 < 1_000 ? 47 : 48 }
        #expect(changes.keys.sorted().prefix(4) == [0, 900, 1_800, 2_700])
        #expect(changes[1_800] == "-" && changes[2_700] != nil && changes[2_700]?.hasPrefix("47.0") == false)
    }

    /// The last position before a loss is told on the next quarter, and after that nothing changes until positions have come back.
    @Test func aLossIsNotSeen() throws {
        let changes = try told { (1_000..<4_000).contains($0) ? .nan : 47 }
        #expect(changes.keys.sorted() == [0, 900, 1_800, 4_500, 5_400, 6_300])
        #expect(changes[1_800]?.hasSuffix("\(QuarterlyPositionTests.start + 900_000)") == true)
        #expect(changes[4_500]?.hasSuffix("\(QuarterlyPositionTests.start + 3_600_000)") == true)
    }

    /// A new device tells its first position at once; after a zone or an erasure that would be a moment.
    @Test func onlyTheVeryFirstPositionIsToldAtOnce() throws {
        #expect(try told(0..<400, from: nil) { $0 < 300 ? .nan : 47 }.keys.sorted() == [0, 300])
        #expect(try told(0..<1_000, from: nil) { $0 < 300 ? nil : 47 }.keys.sorted() == [0, 900])
        var quarterly = QuarterlyPosition(at: time(0), clock: 0)
        quarterly.process(try position(47, 0), clock: 0)
        #expect(quarterly.told != nil)
        let isForgotten = quarterly.forget(time(0)..<time(60))
        #expect(isForgotten)
        quarterly.process(try position(47, 61), clock: 61_000)
        #expect(quarterly.told == nil && quarterly.nextChange(clock: 61_000) == 900_000)
    }

    @Test(arguments: [3_600, 86_400] as [Int64]) func aDateThatWasAheadSilencesNothing(ahead: Int64) throws {
        var quarterly = QuarterlyPosition(at: time(0), clock: 0)
        var told: [Int64: Int64] = [:]
        for second in Int64(0)..<3_000 {
            quarterly.process(try position(47 + Double(second) / 3_600, second < 25 ? second + ahead : second), clock: second * 1_000)
            if let quarter = quarterly.told?.quarter, told[quarter] == nil { told[quarter] = second }
        }
        #expect(told.count == 4 && told.values.sorted() == [0, 900, 1_800, 2_700], "\(told)")
    }

    /// A recording at any speed: its own time counts, and the clock between its positions.
    @Test func goesByTheTimeOfThePositions() throws {
        var quarterly = QuarterlyPosition(at: UTCTime(millisecondsSince1970: 0), clock: 0)
        var quarters: Set<Int64> = []
        for minute in 0..<120 {
            quarterly.process(try position(47 + Double(minute) / 100, Int64(minute) * 60), clock: Int64(minute))
            if let told = quarterly.told { quarters.insert(told.quarter) }
        }
        #expect(quarters.count == 7)
        let last = quarterly.told?.quarter
        quarterly.look(clock: 119 + 60_000)
        #expect(quarterly.told?.quarter == (last ?? 0) + 1)
    }

    private struct SplitMix {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            return (mixed ^ (mixed >> 27)) >> 16
        }
    }

    /// The end of private mode, at whatever second, is seen by nobody: what was hidden comes back with the quarter, and a newer place with it.
    @Test(arguments: [1, 450, 899]) func whatSomebodyHidComesBackWithTheQuarter(second: Int64) throws {
        var quarterly = QuarterlyPosition(resuming: try position(47, -1_800), at: time(0), clock: 0)
        quarterly.process(try position(47, 0), clock: 0)
        quarterly.withhold(clock: 10_000)
        quarterly.holdBack(clock: second * 1_000)
        quarterly.process(try position(48, second), clock: second * 1_000)
        #expect(quarterly.told == nil && quarterly.isHeldBack)
        #expect(quarterly.nextChange(clock: second * 1_000) == 900_000)
        quarterly.look(clock: 899_999)
        #expect(quarterly.told == nil)
        quarterly.look(clock: 900_000)
        #expect(!quarterly.isHeldBack && quarterly.told?.position.coordinate.latitudeDegrees.rounded() == 48)
        // Nor when no position comes.
        quarterly.withhold(clock: 901_000)
        quarterly.holdBack(clock: 902_000)
        quarterly.look(clock: 1_800_000)
        #expect(quarterly.told == nil && !quarterly.isHeldBack)
    }
}
