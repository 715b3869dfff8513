import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostDispatch

/// The contract of the fuzzer, with damage that follows from seeds.
@Suite struct OutboxContractTests {
    @Test(arguments: 0..<12) func holdsWhateverIsDamaged(seed: Int) async {
        var generator = SeededGenerator(seed: UInt64(seed))
        for round in 0..<6 {
            var input: [UInt8] = []
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                // Bytes, pages, and seldom a cut, which takes most.
                let kind: UInt8 = [0, 0, 1, 1, 1, 2, 4, 4, 3].randomElement(using: &generator) ?? 0
                let isHead = Bool.random(using: &generator)
                let place =
                    kind == 4 ? UInt16.random(in: 0..<60, using: &generator) : .random(in: 0...(isHead ? 120 : .max), using: &generator)
                input += [kind, UInt8(place >> 8), UInt8(truncatingIfNeeded: place), .random(in: 0...(.max), using: &generator)]
            }
            // With the rest of an earlier log behind the log, too.
            input += Array(repeating: 0, count: round % 3)
            let violations = await OutboxContract.violations(damaging: input)
            #expect(violations == [], "seed \(seed), round \(round): \(input)")
        }
    }

    /// A log's head that says another order of bytes, another page size or another salt hides none of its frames.
    @Test(
        arguments: [
            [1, 0, 3, 1], [1, 0, 10, 0x0C], [1, 0, 17, 1], [1, 0, 5, 9], [1, 0, 16, 255, 1, 0, 40, 69], [1, 0, 16, 255, 1, 0, 40, 255],
            [1, 0, 40, 255, 1, 0, 0, 3, 1, 0, 16, 255], [4, 0, 1, 0], [4, 0, 1, 0, 0], [4, 0, 1, 0, 4, 0, 3, 0],
            [4, 0, 1, 0, 4, 0, 3, 0, 0], [4, 0, 1, 0, 4, 0, 3, 0, 2, 0, 9, 9, 0],
            [4, 0, 1, 0, 4, 0, 3, 0, 4, 0, 5, 0, 4, 0, 7, 0, 0, 0],
        ] as [[UInt8]])
    func holdsWithADamagedHead(
        input: [UInt8]
    ) async {
        let violations = await OutboxContract.violations(damaging: input)
        #expect(violations.isEmpty, "\(violations)")
    }

    /// The bit makes SQLite read rows whose values have types that their columns cannot take.
    @Test func goesOnWithValuesOfImpossibleTypes() async {
        let violations = await OutboxContract.violations(damaging: [0, 18, 129, 128])
        #expect(violations.isEmpty, "\(violations)")
    }

    /// The same entry is accepted once, and found by its id, although the index of ids alone is damaged, which no query of rows shows.
    @Test func knowsItsEntriesWhateverTheIndexOfIDsSays() async throws {
        let fixture = try DispatchFixture()
        let calls = (1...9).map(DispatchFixture.call)
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 0)
            try await outbox.accept(calls)
            try await outbox.checkpoint()
        }
        let file = URL(filePath: fixture.path)
        let whole = try Data(contentsOf: file)
        var places: [Data.Index] = []
        var rest = whole.startIndex..<whole.endIndex
        while let found = whole.range(of: Data(calls[4].id.utf8), in: rest) {
            places.append(found.lowerBound + 20)
            rest = found.upperBound..<whole.endIndex
        }
        // In its row, in the index, and perhaps in what was left of a page.
        #expect(places.count >= 2)
        for place in places {
            var damaged = whole
            damaged[place] ^= 0x01
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }  // Perhaps not there.
            try damaged.write(to: file)
            let outbox = try fixture.outbox()
            try await outbox.accept(calls)
            #expect(try await outbox.state(of: "home").waitingEventCount == 9)
            for call in calls { #expect(try await outbox.entry(id: call.id) != nil) }
        }
    }

    /// A row whose number was changed is no row: it would be sent at another place, and count as one more.
    @Test func takesNoEntryUnderAnotherNumber() async throws {
        let fixture = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...9 { try await outbox.accept([DispatchFixture.call(number)]) }
            try await outbox.checkpoint()
            try SQLiteDatabase(path: fixture.path).execute("UPDATE entry SET number = 25 WHERE number = 9")
        }
        let outbox = try fixture.outbox()
        #expect(await outbox.recovery?.lostCount == 1)
        #expect(try await outbox.state(of: "home").waitingEventCount == 8)
        #expect(try await outbox.entries(after: 0, limit: 20).map(\.number) == Array(1...8))
    }
}
