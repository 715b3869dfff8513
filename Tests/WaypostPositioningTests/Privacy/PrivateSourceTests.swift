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
