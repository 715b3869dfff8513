import Testing
import Waypost

@Suite struct SharedStateTests {
    private static let now = UTCTime(millisecondsSince1970: 1_764_075_609_554)

    private func position(_ origin: HorizontalAccuracy.Origin = .receiver) throws -> Position {
        var position = Position(time: nil, coordinate: try #require(Coordinate(latitudeDegrees: 1, longitudeDegrees: 2)))
        position.accuracy = HorizontalAccuracy(radiusMetres: 3, origin: origin)
        return position
    }

    private let sky = SkyView(time: nil, satellites: [SatelliteView(constellation: .gps, number: 7, isUsed: true)])

    @Test func tellsAViewOnceWithTheNextReport() throws {
        var state = SharedState()
        #expect(state.process(sky, at: Self.now) == .sky(sky))
        #expect(state.process(try position(), at: Self.now) == .position(try position(), newSky: sky))
        #expect(state.process(try position(), at: Self.now) == .position(try position(), newSky: nil))
        #expect(state.sky == sky)
        _ = state.process(sky, at: Self.now)
        #expect(state.process(NoFix(time: nil), at: Self.now) == .noFix(NoFix(time: nil), newSky: sky))
    }

    @Test func forgetsWhatMayNotBeSeenAnyMore() throws {
        var state = SharedState()
        _ = state.process(sky, at: Self.now)
        _ = state.process(try position(), at: Self.now)
        #expect(state.lose() == .noFix(NoFix(time: nil), newSky: nil))
        #expect(state.report == .noFix(NoFix(time: nil)) && state.sky == nil && state.withdrawalCount == 1)
        #expect(state.lose() == nil)
    }

    @Test func tellsNoSatellitesAboveACoarsePlace() throws {
        var state = SharedState()
        _ = state.process(sky, at: Self.now)
        #expect(state.process(try position(.reduced), at: Self.now) == .position(try position(.reduced), newSky: nil))
        #expect(state.sky == nil)
    }
}
