import Foundation
import Synchronization
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// The source made of others, with members that the test speaks for.
@Suite struct FallbackSourceTests {
    /// Short times for the tests' sake; the rule's real ones are in `FallbackRuleTests`.
    private static let quick: FallbackRule.Times = {
        var times = FallbackRule.Times()
        (times.silence, times.firstFix, times.lead, times.health) = (400, 1_000, 200, 800)
        return times
    }()

    @Test func keepsTheContract() async {
        let violations = await PositionSourceContract().violations {
            FallbackSource([PuppetSource("puppet:a", speaks: true), PuppetSource("puppet:b", speaks: true)])
        }
        #expect(violations.isEmpty, "\(violations)")
    }

    /// Values that no source can have are an error, and do not stop the program.
    @Test func failsWithWhatCannotBe() async throws {
        let sources: [any PositionSource] = [FallbackSource([]), SerialSource(.path("/dev/null"), baudRate: -5)]
        for source in sources { await #expect(throws: PositionSourceError.self) { try await source.run { _ in } } }
        await #expect(throws: PositionSourceError.self) {
            try await SimulatedRouteSource(.walk, noise: NoiseModel(sigmaMetres: 1e308)).run { _ in }
        }
    }

    /// After a planned sleep the receiver that had the fix is asked first, and not a gpsd that is not there.
    @Test func beginsAgainWithTheSourceThatWasInUse() async throws {
        let (first, second) = (PuppetSource("puppet:a", speaks: false), PuppetSource("puppet:b", speaks: true))
        let source = FallbackSource([first, second], times: FallbackSourceTests.quick)
        try await running(source) { log in #expect(await log.waits { $0.positions.last?.source == "puppet:b" }) }
        try await running(source) { log in
            #expect(await log.waits { !$0.positions.isEmpty })
            #expect(log.losses.isEmpty && log.switches.isEmpty)
            // The better one is looked at beside it.
            #expect(await log.waits { _ in first.isRunning })
            first.speaks = true
            #expect(await log.waits { $0.positions.last?.source == "puppet:a" })
        }
    }

    /// A tracker that is started again knows where its last position came from.
    @Test func beginsWithTheSourceThatIsNamed() async throws {
        let (first, second) = (PuppetSource("puppet:a", speaks: false), PuppetSource("puppet:b", speaks: true))
        for name in ["puppet:b", "puppet:gone", nil] {
            let source = FallbackSource([first, second], times: FallbackSourceTests.quick, startingWith: name)
            try await running(source) { log in
                #expect(await log.waits { $0.positions.last?.source == "puppet:b" })
                #expect(log.switches.isEmpty == (name == "puppet:b"))
            }
        }
    }

    @Test func leavesASilentSourceAndReturnsWhenItIsHealthy() async throws {
        let (first, second) = (PuppetSource("puppet:a", speaks: true), PuppetSource("puppet:b", speaks: true))
        try await running(FallbackSource([first, second], times: FallbackSourceTests.quick)) { log in
            #expect(await log.waits { $0.positions.count >= 5 })
            #expect(second.runCount == 0)
            first.speaks = false
            #expect(await log.waits { $0.positions.last?.source == "puppet:b" })
            try await Task.sleep(for: .seconds(1))
            first.speaks = true
            #expect(await log.waits { $0.positions.last?.source == "puppet:a" })
            #expect(await log.waits { _ in !second.isRunning })
            #expect(first.runCount == 1 && first.isRunning)
            #expect(
                log.switches == [
                    SourceSwitch(from: "puppet:a", to: "puppet:b", reason: .silent),
                    SourceSwitch(from: "puppet:b", to: "puppet:a", reason: .recovered),
                ])
            let times = log.positions.compactMap(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            for (before, after) in zip(log.positions, log.positions.dropFirst()) where before.source != after.source {
                #expect(try #require(after.time).millisecondsSince1970 - #require(before.time).millisecondsSince1970 >= 1_000)
            }
            #expect(
                log.members.last == [
                    SourceMember(name: "puppet:a", state: .fix, isActive: true), SourceMember(name: "puppet:b"),
                ])
        }
        #expect(!first.isRunning && !second.isRunning)
    }

    /// A receiver with a fix each 20 seconds is not lost after five because the one before it had a fix each second.
    @Test func theRhythmOfTheSourceInUseSaysWhenItIsLost() async throws {
        let (first, second) = (PuppetSource("puppet:a"), PuppetSource("puppet:b"))
        let manager = PositioningManager(source: FallbackSource([first, second], times: FallbackSourceTests.quick))
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        func say(_ source: PuppetSource, _ seconds: Double) async {
            var position = fix(seconds)
            position.source = source.name
            await source.say(.position(position))
        }
        #expect(await eventually(within: 5) { first.isRunning })
        await say(first, 0)
        #expect(await eventually(within: 5) { second.isRunning })
        var round = 0.0
        while await manager.lastSwitch?.change.reason != .recovered, round < 40 {
            round += 1
            await say(first, 20 * round)
            for late in 2...4 { await say(second, 20 * round + Double(late)) }
            try await Task.sleep(for: .milliseconds(250))
        }
        let count = await log.updates.count
        #expect(await manager.rawPosition?.source == "puppet:a")
        try await Task.sleep(for: .seconds(7))
        #expect(await manager.rawPosition?.source == "puppet:a")
        #expect(await !log.updates.dropFirst(count).contains { if case .lost = $0 { true } else { false } })
        await manager.stop()
    }

    @Test func aLossIsToldOnceAndWhatOthersSayOfThemselvesIsKept() async throws {
        let (first, second) = (PuppetSource("puppet:a"), PuppetSource("puppet:b"))
        try await running(FallbackSource([first, second], times: FallbackSourceTests.quick)) { log in
            #expect(await log.waits { _ in first.isRunning })
            await first.say(.status(.connected("the first")))
            await first.say(.lost(.disconnected("refused")))
            await first.say(.lost(.disconnected("refused")))
            #expect(await log.waits { _ in second.isRunning })
            await second.say(.lost(.deviceGone("/dev/b")))
            await second.say(.status(.warning("no port")))
            #expect(await log.waits { $0.warnings == ["no port"] })
            #expect(log.losses == [.disconnected("refused")])
            #expect(log.members.contains { $0[0].peer == "the first" })
            #expect(log.members.last?.map(\.state) == [.lost(.disconnected("refused")), .lost(.deviceGone("/dev/b"))])
            #expect(log.members.last?[0].peer == nil)
        }
    }

    /// In the moment in which it answers, nothing can have come from its receiver; that it is silent is known later.
    @Test func aMemberThatAnswersAgainBeginsAnew() async throws {
        let member = PuppetSource("puppet:a")
        try await running(FallbackSource([member], times: FallbackSourceTests.quick)) { log in
            #expect(await log.waits { _ in member.isRunning })
            let answer: [PositionSourceEvent] = [
                .lost(.disconnected("refused")), .status(.connected("the first")), .status(.stillLost(.silent)),
            ]
            for event in answer { await member.say(event) }
            #expect(await log.waits { $0.members.last?.map(\.state) == [.starting] })
            #expect(log.members.last?[0].peer == "the first")
            await member.say(.status(.stillLost(.silent)))
            #expect(await log.waits { $0.members.last?.map(\.state) == [.lost(.silent)] })
            let found: [PositionSourceEvent] = [
                .status(.stillLost(.deviceGone("gone"))), .status(.stillLost(.silent)), .noFix(NoFix(time: nil)),
            ]
            for event in found { await member.say(event) }
            #expect(await log.waits { $0.members.last?.map(\.state) == [.searching] })
            #expect(log.members.map { $0[0].state }.filter { $0 == .lost(.silent) }.count == 1)
        }
    }

    @Test func cancellingEndsEveryMemberWithinASecond() async throws {
        let members = (0..<5).map { PuppetSource("puppet:\($0)") }
        let took = try await running(FallbackSource(members, times: FallbackSourceTests.quick)) { log in
            #expect(await log.waits { _ in members.allSatisfy(\.isRunning) })
        }
        #expect(took < 1_000)
        #expect(members.allSatisfy { !$0.isRunning })
    }

    @Test func endsWhenEveryMemberHasEndedAndFailuresAreWarnings() async throws {
        let log = EventLog()
        let members: [any PositionSource] = [
            FailingSource(name: "failing:a"), MemorySource(fault: .endsSilently), FailingSource(name: "failing:b"),
        ]
        try await FallbackSource(members).run { log.append($0) }
        #expect(log.positions.count == 5)
        #expect(log.warnings == ["failing:a: broken", "failing:b: broken"])
        #expect(log.switches.map(\.reason) == [.ended, .ended])
        #expect(log.events.last == .finished)
    }

    @Test func throwsTheFirstFailureWhenAllFail() async throws {
        let source = FallbackSource([FailingSource(name: "failing:a"), FailingSource(name: "failing:b")])
        await #expect(throws: PositionSourceError.unusable(path: "failing:a", reason: "broken")) {
            try await source.run { _ in }
        }
    }

    @Test func aSlowReaderHoldsTheMembersUpAndIsNoReasonToSwitch() async throws {
        let (first, second) = (PuppetSource("puppet:a", speaks: true), PuppetSource("puppet:b", speaks: true))
        let log = EventLog()
        let source = FallbackSource([first, second], times: FallbackSourceTests.quick)
        let run = Task {
            try await source.run { event in
                log.append(event)
                if case .position = event { try? await Task.sleep(for: .milliseconds(700)) }
            }
        }
        #expect(await log.waits { $0.positions.count >= 5 })
        #expect(log.switches.isEmpty)
        #expect(second.runCount == 0)
        run.cancel()
        try await run.value
    }

    @Test func recordingsFollowOnEachOther() async throws {
        let folder = NSTemporaryDirectory() + "waypost-fallback-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let receiver = SimulatedReceiver()
        let (first, second) = ("\(folder)/1.nmea", "\(folder)/2.nmea")
        // The second one is the older one.
        try (10..<20).map { receiver.epoch($0).text }.joined().write(toFile: first, atomically: false, encoding: .utf8)
        try (0..<10).map { receiver.epoch($0).text }.joined().write(toFile: second, atomically: false, encoding: .utf8)
        let log = EventLog()
        try await FallbackSource([NMEAFileSource(path: first, speed: 0), NMEAFileSource(path: second, speed: 0)]).run { log.append($0) }
        #expect(log.positions.compactMap(\.time) == (Array(10..<20) + Array(0..<10)).map { receiver.epoch($0).time })
        #expect(log.positions.map(\.source) == Array(repeating: "nmea:\(first)", count: 10) + Array(repeating: "nmea:\(second)", count: 10))
        #expect(log.events.last == .finished)
        #expect(log.switches == [SourceSwitch(from: "nmea:\(first)", to: "nmea:\(second)", reason: .ended)])
    }
}

extension EventLog {
    var switches: [SourceSwitch] { events.compactMap { if case .status(.switched(let change)) = $0 { change } else { nil } } }
    var members: [[SourceMember]] { events.compactMap { if case .status(.members(let members)) = $0 { members } else { nil } } }
}

/// A live source that says what the test tells it to, and fixes ten times a second while it is told to speak.
final class PuppetSource: PositionSource {
    private struct State {
        var output: PositionSourceOutput?
        var speaks: Bool
        var runCount = 0
    }

    let name: String
    private let state: Mutex<State>

    init(_ name: String, speaks: Bool = false) {
        self.name = name
        state = Mutex(State(speaks: speaks))
    }

    var speaks: Bool {
        get { state.withLock { $0.speaks } }
        set { state.withLock { $0.speaks = newValue } }
    }
    var isRunning: Bool { state.withLock { $0.output != nil } }
    var runCount: Int { state.withLock { $0.runCount } }

    func say(_ event: PositionSourceEvent) async {
        await state.withLock { $0.output }?(event)
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        state.withLock { state in
            state.output = output
            state.runCount += 1
        }
        defer { state.withLock { $0.output = nil } }
        while !Task.isCancelled {
            if speaks { await output(.position(position)) }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private var position: Position {
        guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else { preconditionFailure("47 8 is a place") }
        var position = Position(time: UTCTime(millisecondsSince1970: 1_772_366_400_000 + MonotonicClock.milliseconds), coordinate: place)
        position.source = name
        return position
    }
}

/// A source that cannot run.
struct FailingSource: PositionSource {
    let name: String

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        throw .unusable(path: name, reason: "broken")
    }
}
