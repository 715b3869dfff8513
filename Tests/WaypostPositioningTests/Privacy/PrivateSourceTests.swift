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

    /// Nobody takes private mode for on when it is off: a receiver in a garage has no fix that ends the words of before.
    @Test(arguments: [nil, LossReason.silent, .noFix])
    func saysWithoutAFixThatPositionsAreNoLongerWithheld(before: LossReason?) async throws {
        let feed = FeedSource()
        let source = PrivateSource(feed, gate: PrivacyGate(zones: [], key: key))
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        await feed.say(.position(fix(0, kilometres: 3)))
        if let before { await feed.say(.lost(before)) }
        await source.setPrivate(true)
        #expect(await manager.lossReason == .withheld(.privateMode))
        await feed.say(.noFix(NoFix(time: fix(1, kilometres: 3).time, source: "list:")))
        if before != nil { await feed.say(.status(.stillLost(.disconnected("gone")))) }
        #expect(await manager.lossReason == .withheld(.privateMode))
        await source.setPrivate(false)
        #expect(await manager.lossReason == (before == nil ? nil : .disconnected("gone")))
        #expect(await manager.rawPosition == nil)
        #expect(await log.updates.count { if case .status(.shownAgain) = $0 { true } else { false } } == 1)
        await source.setPrivate(false)
        #expect(await log.updates.count { if case .status(.shownAgain) = $0 { true } else { false } } == 1, "it was off already")

        // What comes then counts as after a start: a loss is told, and the same fix again is none.
        await feed.say(.position(fix(0, kilometres: 3)))
        #expect(await manager.rawPosition == nil)
        await feed.say(.lost(.deviceGone("unplugged")))
        #expect(await manager.lossReason == .deviceGone("unplugged"))
        await feed.say(.position(fix(9, kilometres: 4)))
        #expect(await manager.rawPosition == fix(9, kilometres: 4))
        await manager.stop()
    }

    /// Out of private mode into a zone: the words change with the reason.
    @Test func saysThatAZoneWithholdsAfterPrivateMode() async throws {
        let feed = FeedSource()
        let source = PrivateSource(feed, gate: PrivacyGate(zones: zones, key: key))
        let manager = PositioningManager(source: source)
        await manager.start()
        await feed.say(.position(fix(0, kilometres: 3)))
        await source.setPrivate(true)
        await feed.say(.position(fix(1, kilometres: 0.1)))
        #expect(await manager.lossReason == .withheld(.privateMode))
        await source.setPrivate(false)
        #expect(await manager.lossReason == .withheld(.zone))
        await manager.stop()
    }
}

/// A source that says what a test has it say.
private actor FeedSource: PositionSource {
    nonisolated let name = "feed:"
    private var output: PositionSourceOutput?
    private var waiting: [CheckedContinuation<PositionSourceOutput, Never>] = []

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        self.output = output
        for continuation in waiting { continuation.resume(returning: output) }
        waiting = []
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }  // Cancelled: it ends.
        self.output = nil
    }

    /// Returns when it has been delivered.
    func say(_ event: PositionSourceEvent) async {
        if let output { return await output(event) }
        let output = await withCheckedContinuation { waiting.append($0) }
        await output(event)
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
