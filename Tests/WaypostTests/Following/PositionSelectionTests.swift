import Testing
import Waypost

@Suite struct PositionSelectionTests {
    @Test func takesEverythingByDefault() throws {
        var selection = PositionSelection()
        #expect(selection.options.takesEverything)
        #expect(selection.process(try drive(0)) == .position)
        #expect(selection.process(try drive(0.1)) == .position)
        #expect(selection.need(isStationary: true) == .everyFix)
    }

    @Test func waitsForTheDistanceAndStartsAgainAfterALoss() throws {
        var selection = PositionSelection(.init(distanceFilterMetres: 99))
        let first = try (0...30).map { selection.process(try drive(Double($0))) }
        #expect(first.indices.filter { first[$0] == .position } == [0, 10, 20, 30])
        selection.lose()
        #expect(selection.process(try drive(31)) == .position)
    }

    @Test(arguments: [
        (DesiredAccuracy.best, PositioningNeed.everyFix), (.nearestHundredMeters, .everyFix),
        (.withinOneKilometer, .within(.seconds(20))), (.reduced, .within(.seconds(100))),
    ]) func letsTheReceiverSleepForLongSteps(level: DesiredAccuracy, need: PositioningNeed) {
        #expect(PositionSelection(.init(accuracy: level)).need(isStationary: false) == need)
    }

    @Test func reportsTheStoredPositionFirst() throws {
        var selection = PositionSelection(.init(isSignificantOnly: true))
        let stored = try drive(0)
        #expect(selection.start(stored: stored) == .init(position: stored, isCached: true))
        #expect(selection.process(try drive(100)) == .nothing)
        let later = try drive(400)
        #expect(selection.process(later) == .significantChange(.init(position: later, isCached: false)))
    }

    @Test func hasNothingToReportFirstWhenItTakesEverything() throws {
        var selection = PositionSelection()
        #expect(selection.start(stored: try drive(0)) == nil)
    }

    @Test func asksForAnotherFixWhenOneIsDoubtful() throws {
        var selection = PositionSelection(.init(isSignificantOnly: true))
        _ = selection.process(try drive(0))
        #expect(selection.need(isStationary: false) == .within(.seconds(300)))
        _ = selection.process(try fix(300, metres: 50_000, speed: 10))
        #expect(selection.need(isStationary: false) == .within(.zero))
    }

    /// Speed, most samples an hour, and how late a report may be, in seconds.
    @Test(arguments: [(0.0, 13, 0.0), (1.4, 30, 61), (10, 13, 1), (33, 13, 1)])
    func findsTheSameChangesInAnHourOfSamples(speed: Double, samples: Int, lateness: Double) throws {
        var (all, sampled) = (PositionSelection(.init(isSignificantOnly: true)), PositionSelection(.init(isSignificantOnly: true)))
        var (rest, cycle) = (StationaryRule(), DutyCycle())
        var (due, found, sampleCount) = ([Int](), [Int](), 0)
        cycle.need(.samples, at: 0)
        for second in 0...3_600 {
            let fix = try fix(Double(second), metres: Double(second) * speed, speed: speed)
            if case .significantChange = all.process(fix) { due.append(second) }
            cycle.tick(at: Int64(second) * 1_000)
            guard cycle.receiverIsOn else { continue }
            sampleCount += 1
            if case .significantChange = sampled.process(fix) { found.append(second) }
            rest.process(fix)
            guard case .within(let next) = sampled.need(isStationary: rest.isStationary) else { continue }
            cycle.sampled(nextIn: next.milliseconds, at: Int64(second) * 1_000)
        }
        #expect(sampleCount <= samples)
        #expect(found.count >= due.count - 1)
        let gaps = zip(found, found.dropFirst()).map { $1 - $0 }
        let dueGaps = zip(due, due.dropFirst()).map { $1 - $0 }
        for (gap, dueGap) in zip(gaps, dueGaps) { #expect(Double(gap - dueGap) <= lateness) }
    }

    /// A fix on the way north at 10 m/s.
    private func drive(_ seconds: Double) throws -> Position { try fix(seconds, metres: seconds * 10, speed: 10) }

    private func fix(_ seconds: Double, metres: Double, speed: Double) throws -> Position {
        let start = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        var position = Position(
            time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(seconds * 1_000)),
            coordinate: Geodesic.end(from: start, azimuthDegrees: 0, distanceMetres: metres).coordinate)
        position.speedMetresPerSecond = speed
        return position
    }
}
