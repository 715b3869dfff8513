import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// What can be read of a damaged outbox goes on, also where SQLite finds nothing in it.
@Suite struct OutboxCarvingTests {
    private static let count = 60
    private static let suffixes = ["", "-wal", "-tally"]

    /// The files of an outbox in which entries of some length wait.
    private func files(checkpointing: Bool) async throws -> [String: Data] {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("home", newestPosition: 77)
        for number in 1...OutboxCarvingTests.count {
            let text = String(repeating: "x", count: number % 3 * 700)
            try await outbox.accept([.track(TrackCall(name: "call \(number)", values: ["x": .string(text)], time: nil, position: nil))])
            // One destination has some of them.
            if number == 20 { try await outbox.settle(Settlement(lane: .events, through: 10, count: 10, sentCount: 10), nil, for: "home") }
        }
        if checkpointing { try await outbox.checkpoint() }
        var files: [String: Data] = [:]
        for suffix in OutboxCarvingTests.suffixes { files[suffix] = try Data(contentsOf: URL(filePath: fixture.path + suffix)) }
        return files
    }

    /// How many wait in an outbox of these files.
    private func reopened(_ files: [String: Data], _ what: String) async throws -> Int {
        let fixture = try DispatchFixture()
        for (suffix, data) in files { try data.write(to: URL(filePath: fixture.path + suffix)) }
        let outbox = try fixture.outbox()
        let recovery = await outbox.recovery
        let state = try await outbox.attach("home", newestPosition: 77)
        let lost = recovery.map { $0.lostCount ?? 0 } ?? 0
        // Where nobody knows how far it was, what it had is sent again.
        let isKnown = recovery.map { $0.destinationCount > 0 } ?? true
        let taken = isKnown ? OutboxCarvingTests.count - 10 : max(OutboxCarvingTests.count - 10, state.waitingEventCount)
        #expect(state.waitingEventCount + lost == taken, "\(what): \(String(describing: recovery))")
        if let recovery { #expect(recovery.waitingCount == state.waitingEventCount, "\(what)") }
        let numbers = try await outbox.entries(after: state.eventCursor, limit: 1_000).map(\.number)
        #expect((!isKnown || numbers.allSatisfy { $0 > 10 }) && numbers == numbers.sorted(), "\(what)")
        try await outbox.checkpoint()
        let next = try fixture.outbox()
        #expect(isOnlyToldAgain(recovery, await next.recovery), "\(what)")
        return state.waitingEventCount
    }

    @Test func findsWhatOtherPagesHaveWhicheverIsDamaged() async throws {
        let files = try await files(checkpointing: true)
        let file = try #require(files[""])
        for page in stride(from: 0, to: file.count / 1_024, by: 3) {
            var damaged = files
            for index in page * 1_024..<(page + 1) * 1_024 { damaged[""]?[index] = 0 }
            let waiting = try await reopened(damaged, "page \(page + 1)")
            // A page has some entries of 250 bytes at most, or parts of longer ones.
            #expect(waiting >= OutboxCarvingTests.count - 10 - 5, "page \(page + 1)")
        }
    }

    @Test func findsWhatACutLeft() async throws {
        let files = try await files(checkpointing: true)
        let file = try #require(files[""])
        let places = [(1, 49), (1_024, 45), (file.count / 10, 35), (file.count / 2, 10)]
        for (cut, least) in places {
            var damaged = files
            damaged[""] = file.prefix(file.count - cut)
            #expect(try await reopened(damaged, "cut by \(cut)") >= least, "cut by \(cut)")
        }
    }

    @Test func findsAllBehindADamagedHeadOrSchema() async throws {
        let files = try await files(checkpointing: true)
        for place in [0..<512, 0..<100, 16..<18, 28..<40, 100..<112, 300..<1_024] {
            var damaged = files
            for index in place { damaged[""]?[index] ^= 0x55 }
            #expect(try await reopened(damaged, "\(place)") == OutboxCarvingTests.count - 10, "\(place)")
        }
    }

    @Test func findsAllInAWholeLogWhateverBecameOfTheFile() async throws {
        let files = try await files(checkpointing: false)
        let file = try #require(files[""])
        for main in [Data(), file.prefix(6_000), file.prefix(4_096) + Data(count: 4_096) + file.dropFirst(8_192), Data(count: file.count)] {
            var damaged = files
            damaged[""] = main
            #expect(try await reopened(damaged, "\(main.count) bytes") == OutboxCarvingTests.count - 10)
        }
    }

    @Test func bringsNothingBackThatWasRemoved() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.maximumByteCount = 8_000
        do {
            let outbox = try fixture.outbox(limits: limits)
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...300 { try await outbox.accept([DispatchFixture.call(number)]) }
            try await outbox.checkpoint()
        }
        let before = try await fixture.outbox(limits: limits).entries(after: 0, limit: 1_000).map(\.number)
        // Nothing of the schema but the head with its list of free pages.
        var bytes = try Data(contentsOf: URL(filePath: fixture.path))
        for index in 200..<1_024 { bytes[index] = 0x5A }
        try bytes.write(to: URL(filePath: fixture.path))
        let outbox = try fixture.outbox(limits: limits)
        #expect(await outbox.recovery?.lostCount == 0)
        #expect(try await outbox.entries(after: 0, limit: 1_000).map(\.number) == before)
    }
}
