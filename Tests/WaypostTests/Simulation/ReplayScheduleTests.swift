import Testing
import Waypost

@Suite struct ReplayScheduleTests {
    /// A point so many seconds after a moment, so many thousandths of a degree to the north.
    private func point(_ seconds: Double?, _ north: Double = 0, speed: Double? = nil) throws -> Position {
        let coordinate = try #require(Coordinate(latitudeDegrees: 47 + north / 1_000, longitudeDegrees: 8))
        let time = seconds.map { UTCTime(millisecondsSince1970: 1_700_000_000_000 + Int64($0 * 1_000)) }
        var position = Position(time: time, coordinate: coordinate)
        position.speedMetresPerSecond = speed
        return position
    }

    /// What a replay of these points gives; `|` begins a segment: `lost@S` or `S:LAT`.
    private func replay(
        _ style: ReplaySchedule.Style, interval: Int64 = 1_000, _ points: [(point: Position, begins: Bool)]
    ) -> [String] {
        var schedule = ReplaySchedule(style: style, interval: .milliseconds(interval))
        var told: [String] = []
        func drain() {
            while let step = schedule.next() {
                switch step {
                case .lost(let moment): told.append("lost@\(Double(moment) / 1_000)")
                case .position(let position, let moment, _):
                    let north = ((position.coordinate.latitudeDegrees - 47) * 1_000_000).rounded() / 1_000
                    told.append("\(Double(moment) / 1_000):\(north)")
                }
            }
        }
        for (point, begins) in points {
            schedule.add(point, beginsSegment: begins)
            drain()
        }
        schedule.finish()
        drain()
        return told
    }

    @Test func playsPointsAtTheirOwnTimes() throws {
        let points = try [(point(0, 0), true), (point(1, 1), false), (point(4.5, 2), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "1.0:1.0", "4.5:2.0"])
    }

    @Test func interpolatesBetweenPoints() throws {
        let points = try [(point(0, 0), true), (point(2, 2), false), (point(4.5, 7), false)]
        #expect(replay(.interpolated, points) == ["0.0:0.0", "1.0:1.0", "2.0:2.0", "3.0:4.0", "4.0:6.0", "4.5:7.0"])
    }

    @Test func playsOnePointPerIntervalWhateverTheTimes() throws {
        let points = try [(point(0, 0), true), (point(10, 1), false), (point(3_000, 2), true)]
        #expect(replay(.fixed, interval: 500, points) == ["0.0:0.0", "0.5:1.0", "lost@0.5", "1.0:2.0"])
    }

    @Test func losesThePositionBetweenSegments() throws {
        let points = try [(point(0, 0), true), (point(1, 1), false), (point(60, 2), true), (point(61, 3), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "1.0:1.0", "lost@1.0", "60.0:2.0", "61.0:3.0"])
        #expect(replay(.interpolated, points) == ["0.0:0.0", "1.0:1.0", "lost@1.0", "60.0:2.0", "61.0:3.0"])
    }

    @Test func losesThePositionInALongGapOfOneSegment() throws {
        let points = try [(point(0, 0), true), (point(601, 1), false)]
        #expect(replay(.interpolated, points) == ["0.0:0.0", "lost@0.0", "601.0:1.0"])
    }

    @Test func doesNotWaitForTheNextMorning() throws {
        let points = try [(point(0, 0), true), (point(36_000, 1), true), (point(36_001, 2), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "lost@0.0", "1.0:1.0", "2.0:2.0"])
    }

    @Test func goesOnWhereASegmentBeginsEarlier() throws {
        let points = try [(point(100, 0), true), (point(0, 1), true), (point(5, 2), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "lost@0.0", "1.0:1.0", "6.0:2.0"])
    }

    @Test func leavesOutPointsThatGoBackInTime() throws {
        let points = try [(point(0, 0), true), (point(5, 1), false), (point(3, 2), false), (point(5, 3), false), (point(6, 4), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "5.0:1.0", "6.0:4.0"])
        var schedule = ReplaySchedule()
        for (point, begins) in points { schedule.add(point, beginsSegment: begins) }
        #expect(schedule.disorderedCount == 2)
        #expect(schedule.pointCount == 5)
    }

    @Test func countsOnFromPointsWithoutATime() throws {
        let points = try [(point(nil, 0), true), (point(nil, 1), false), (point(nil, 2), false)]
        #expect(replay(.actual, points) == ["0.0:0.0", "1.0:1.0", "2.0:2.0"])
        var schedule = ReplaySchedule()
        for (point, begins) in points { schedule.add(point, beginsSegment: begins) }
        #expect(schedule.untimedCount == 3)
    }

    @Test func saysWhatTheRecordingSaysOfEachMoment() throws {
        var schedule = ReplaySchedule(style: .interpolated)
        try schedule.add(point(0, 0), beginsSegment: true)
        try schedule.add(point(3, 3))
        var recorded: [Int64] = []
        while let step = schedule.next() {
            if case .position(let position, _, let time) = step {
                #expect(position.time == nil)
                recorded.append(try #require(time).millisecondsSince1970 - 1_700_000_000_000)
            }
        }
        #expect(recorded == [0, 1_000, 2_000])
    }

    @Test func givesInterpolatedPositionsTheSpeedAndCourseOfTheMovement() throws {
        var schedule = ReplaySchedule(style: .interpolated)
        try schedule.add(point(0, 0), beginsSegment: true)
        _ = schedule.next()
        try schedule.add(point(10, 1))
        guard case .position(let position, 1_000, _)? = schedule.next() else {
            Issue.record("no position after a second")
            return
        }
        // A thousandth of a degree of the meridian at 47 degrees is 111.175 m.
        #expect(abs(try #require(position.speedMetresPerSecond) - 11.1175) < 0.001)
        #expect(abs((try #require(position.courseDegrees) + 180).truncatingRemainder(dividingBy: 360) - 180) < 1e-9)
    }

    @Test func assumesAnAccuracyWhereThereIsNone() throws {
        var schedule = ReplaySchedule()
        try schedule.add(point(0))
        guard case .position(let position, _, _)? = schedule.next() else {
            Issue.record("no position")
            return
        }
        #expect(position.accuracy == HorizontalAccuracy(radiusMetres: 5, origin: .assumed))
    }

    @Test func lengthensIntervalsThatAreTooShort() {
        #expect(ReplaySchedule(style: .fixed, interval: .milliseconds(1)).interval == .milliseconds(100))
        #expect(ReplaySchedule(style: .fixed, interval: .seconds(1e18)).interval == .seconds(86_400))
    }

    @Test func crossesTheAntimeridianTheShortWay() throws {
        var schedule = ReplaySchedule(style: .interpolated)
        for (seconds, longitude) in [(0, 179.999), (2, -179.999)] {
            let coordinate = try #require(Coordinate(latitudeDegrees: 0, longitudeDegrees: longitude))
            schedule.add(
                Position(time: UTCTime(millisecondsSince1970: Int64(seconds) * 1_000), coordinate: coordinate), beginsSegment: seconds == 0)
            if seconds == 0 { _ = schedule.next() }
        }
        guard case .position(let position, 1_000, _)? = schedule.next() else {
            Issue.record("no position after a second")
            return
        }
        #expect(abs(position.coordinate.longitudeDegrees) == 180)
    }
}
