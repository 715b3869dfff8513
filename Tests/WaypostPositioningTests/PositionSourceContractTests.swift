import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

/// The contract suite on sources of our own: one that keeps the contract, and others that each break one rule.
@Suite struct PositionSourceContractTests {
    @Test func acceptsASourceThatKeepsIt() async {
        let violations = await PositionSourceContract().violations { MemorySource() }
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test(arguments: MemorySource.Fault.allCases)
    func noticesABrokenRule(fault: MemorySource.Fault) async {
        let violations = await PositionSourceContract(patience: .seconds(1)).violations { MemorySource(fault: fault) }
        #expect(violations.contains { $0.description.contains(fault.rawValue) }, "\(fault): \(violations)")
    }
}

/// A source that plays a list, as a user might write one.
struct MemorySource: PositionSource {
    /// A rule to break; the words are part of what the suite says about it.
    enum Fault: String, CaseIterable, Sendable {
        case gives = "gave no position"
        case repeats = "delivered twice"
        case ignoresCancellation = "did not return within a second"
        case namesAnother = "position's source"
        case losesTwice = "told twice"
        case goesOn = "after .finished"
        case endsSilently = "without .finished"
        case overlaps = "still being taken"
        case throwsAlways = "run threw"
        case deliversLate = "after it had returned"
        case holdsNaN = "not finite"
    }

    let name = "memory:"
    var fault: Fault?

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        if fault == .throwsAlways { throw .unusable(path: name, reason: "broken") }
        if fault == .losesTwice {
            await output(.lost(.silent))
            await output(.lost(.silent))
        }
        if fault == .goesOn { await output(.finished) }
        for number in 0..<5 where fault != .gives {
            if Task.isCancelled, fault != .ignoresCancellation { break }
            await output(.position(position(number)))
            if fault == .overlaps {
                async let first: Void = output(.position(position(100 + number)))
                async let second: Void = output(.position(position(200 + number)))
                _ = await (first, second)
            }
        }
        if fault == .endsSilently { return }
        if fault == .ignoresCancellation {
            await Task.detached { try? await Task.sleep(for: .seconds(3)) }.value
        } else {
            try? await Task.sleep(for: .seconds(60))
        }
        if fault == .deliversLate {
            Task {
                try await Task.sleep(for: .milliseconds(100))
                await output(.lost(.ended))
            }
        }
    }

    private func position(_ number: Int) -> Position {
        let milliseconds = fault == .repeats ? 0 : Int64(number)
        guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else { preconditionFailure("47 8 is a place") }
        var position = Position(time: UTCTime(millisecondsSince1970: milliseconds), coordinate: place)
        position.source = fault == .namesAnother ? "another" : name
        if fault == .holdsNaN { position.courseDegrees = .nan }
        return position
    }
}
