import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

@Suite struct PrivateSourceTests {
    private let home: Coordinate
    private let key: SipHash.Key

    init() throws {
        home = try #require(Coordinate(latitudeDegrees: 52.51702, longitudeDegrees: 13.38886))
        key = try #require(SipHash.Key(Array(0..<16)))
    }

    private func fix(_ second: Int64, kilometres: Double) -> Position {
        let place = Geodesic.end(from: home, azimuthDegrees: 60, distanceMetres: kilometres * 1_000).coordinate
        var position = Position(time: UTCTime(millisecondsSince1970: 1_772_366_400_000 + second * 1_000), coordinate: place)
        position.source = "list:"
        return position
    }

    private var zones: [PrivacyZone] { [PrivacyZone(name: "home", centre: home, radiusMetres: 200)] }

    @Test func keepsTheContractOfTheSourceBehindIt() async {
        let violations = await PositionSourceContract().violations {
            PrivateSource(MemorySource(), gate: PrivacyGate(zones: zones, key: key))
        }
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func tellsALossInsteadOfAnythingInsideAZone() async throws {
        let events: [PositionSourceEvent] = [
            .position(fix(0, kilometres: 3)), .position(fix(1, kilometres: 0.1)), .sky(SkyView(time: nil, satellites: [])),
            .noFix(NoFix(time: nil, source: "list:")), .position(fix(2, kilometres: 0.1)), .position(fix(20, kilometres: 3)),
            .position(fix(31, kilometres: 3.1)), .finished,
        ]
        let source = PrivateSource(ListSource(events: events), gate: PrivacyGate(zones: zones, key: key))
        let log = EventLog()
        try await source.run { log.append($0) }
        #expect(
            log.events == [
                .position(fix(0, kilometres: 3)), .lost(.withheld(.zone)), .position(fix(31, kilometres: 3.1)), .finished,
            ])
        #expect(await source.withholding == nil)
    }

    /// A road inside a zone is not told of a fix that was beside it, nor any road in private mode.
    @Test func putsNoFixOnARoadInsideAZone() async throws {
        let events: [PositionSourceEvent] = [.position(fix(0, kilometres: 3)), .position(fix(1, kilometres: 4))]
        let source = PrivateSource(ListSource(events: events + [.finished]), gate: PrivacyGate(zones: zones, key: key))
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.matchPositions(with: PrivateMatcher(Roads(places: [home, fix(1, kilometres: 4.01).coordinate]), behind: source))
        await manager.start()
        try await manager.waitUntilFinished()
        let found = await log.updates.compactMap { if case .matched(let match) = $0 { match?.position.coordinate ?? home } else { nil } }
        #expect(found == [home, fix(1, kilometres: 4.01).coordinate])
        #expect(await log.updates.contains(.matched(nil)))
        await source.setPrivate(true)
        let match = MatchedPosition(position: fix(2, kilometres: 9), confidence: 1, wayID: 1, offsetMetres: 0)
        #expect(await source.hides(match))
    }

    /// Puts each fix at the next one of some places.
    private actor Roads: PositionMatching {
        private var places: [Coordinate]

        init(places: [Coordinate]) { self.places = places }

        func match(_ position: Position) -> MatchedPosition? {
            var moved = position
            moved.coordinate = places.removeFirst()
            return MatchedPosition(position: moved, confidence: 1, wayID: 7, offsetMetres: 3)
        }

        func lose() {}
    }

    /// Also to those who had none: what they know from before is not to be told any more.
    @Test func tellsThatPositionsAreWithheldWhenThereWasNone() async throws {
        let events: [PositionSourceEvent] = [.position(fix(0, kilometres: 0.1)), .position(fix(1, kilometres: 0.1)), .finished]
        var settings = PositioningManager.Settings()
        settings.storedPosition = fix(-60, kilometres: 3)
        let source = PrivateSource(ListSource(events: events), gate: PrivacyGate(zones: zones, key: key))
        let manager = PositioningManager(source: source, settings: settings)
        let updates = await manager.updates()
        await manager.start()
        var reasons: [LossReason] = []
        for await update in updates { if case .lost(let reason) = update { reasons.append(reason) } }
        #expect(reasons == [.withheld(.zone)])
    }

    @Test func losesThePositionAtOnceInPrivateMode() async throws {
        var often = RouteSimulator.Options()
        often.interval = .milliseconds(100)
        let corners = [fix(0, kilometres: 0), fix(0, kilometres: 9)].map(\.coordinate)
        let source = PrivateSource(SimulatedRouteSource(corners: corners, options: often), gate: PrivacyGate(zones: [], key: key))
        let manager = PositioningManager(source: source)
        await manager.start()
        while await manager.rawPosition == nil { try await Task.sleep(for: .milliseconds(1)) }
        await source.setPrivate(true)
        for _ in 0..<250 {
            #expect(await manager.rawPosition == nil)
            #expect(await manager.lossReason == .withheld(.privateMode))
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(await source.isPrivate)
        await source.setPrivate(false)
        while await manager.rawPosition == nil { try await Task.sleep(for: .milliseconds(1)) }
        await manager.stop()
        // After the end there is nobody to be told.
        await source.setPrivate(true)
        #expect(await manager.lossReason == nil)
    }
}

/// A source that says what is in a list.
private struct ListSource: PositionSource {
    let name = "list:"
    var events: [PositionSourceEvent]

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        for event in events where !Task.isCancelled { await output(event) }
    }
}
