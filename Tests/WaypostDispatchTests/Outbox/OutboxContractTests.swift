import Testing
import Waypost
import WaypostTestKit

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
            let violations = await OutboxContract.violations(damaging: input)
            #expect(violations == [], "seed \(seed), round \(round): \(input)")
        }
    }

    /// A log's head that says another order of bytes, another page size or another salt hides none of its frames.
    @Test(arguments: [[1, 0, 3, 1], [1, 0, 10, 0x0C], [1, 0, 17, 1], [1, 0, 5, 9]] as [[UInt8]]) func holdsWithADamagedHead(
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
}
