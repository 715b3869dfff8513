import Synchronization
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

    /// All at once: each takes its time.
    @Test func noticesEveryBrokenRule() async {
        await withTaskGroup(of: (MemorySource.Fault, [Violation]).self) { group in
            for fault in MemorySource.Fault.allCases {
                group.addTask {
                    (fault, await PositionSourceContract(patience: .seconds(1)).violations { MemorySource(fault: fault) })
                }
            }
            for await (fault, violations) in group {
                #expect(violations.contains { $0.description.contains(fault.rawValue) }, "\(fault): \(violations)")
            }
        }
    }
}

/// A source that plays a list, as a user might write one.
struct MemorySource: PositionSource {
    /// A rule to break; the words are part of what the suite says about it.
    enum Fault: String, CaseIterable, Sendable {
        case isNameless = "has no name"
        case isOriginless = "does not say what its positions carry"
        case changesItsName = "different names"
        case gives = "the first run gave no position"
        case hasNoFix = "no three positions within"
        case runsOnce = "the second run gave no position"
        case repeats = "was delivered twice"
        case repeatsAnOlderOne = "millisecondsSince1970: 0) was delivered twice"
        case ignoresCancellation = "the first run did not return within a second"
        case ignoresAnEarlyCancellation = "before it starts did not return within a second"
        case staysAfterTheEnd = "did not return after .finished"
        case namesAnother = "position's source"
        case namesAnotherWithoutAFix = "report without a fix does not carry"
        case namesAnotherForTheSky = "sky view does not carry"
        case losesTwice = "told twice"
        case goesOn = "after .finished"
        case endsSilently = "without .finished"
        case overlaps = "still being taken"
        case throwsAlways = "run threw"
        case deliversLate = "after it had returned"
        case holdsNaN = "not finite"
        case turnsTooFar = "a course is outside"
        case drivesBackwards = "a speed is negative"
    }

    var name: String {
        switch fault {
        case .isNameless: ""
        case .changesItsName: "memory:\(ObjectIdentifier(made))"
        default: "memory:"
        }
    }
    var originNames: [String] { fault == .isOriginless ? [] : [name] }
    var fault: Fault?
    /// One for each source, however often it is copied.
    private let made = Made()

    private final class Made: Sendable {
        let runs = Atomic(0)
    }

    init(fault: Fault? = nil) { self.fault = fault }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        let run = made.runs.add(1, ordering: .relaxed).newValue
        if fault == .throwsAlways { throw .unusable(path: name, reason: "broken") }
        if fault == .ignoresAnEarlyCancellation, Task.isCancelled { await MemorySource.sleepWhateverComes() }
        await tellBefore(output)
        let isSilent = fault == .gives || fault == .hasNoFix || fault == .runsOnce && run > 1
        for number in 0..<5 where !isSilent {
            if Task.isCancelled, fault != .ignoresCancellation { break }
            await output(.position(position(number)))
            if fault == .overlaps {
                async let first: Void = output(.position(position(100 + number)))
                async let second: Void = output(.position(position(200 + number)))
                _ = await (first, second)
            }
        }
        switch fault {
        case .endsSilently: return
        case .ignoresCancellation: await MemorySource.sleepWhateverComes()
        case .repeatsAnOlderOne: await output(.position(position(0)))
        case .staysAfterTheEnd: await output(.finished)
        default: break
        }
        try? await Task.sleep(for: .seconds(60))  // Cancelled: the run ends.
        if fault == .deliversLate {
            Task {
                try await Task.sleep(for: .milliseconds(100))
                await output(.lost(.ended))
            }
        }
    }

    private func tellBefore(_ output: PositionSourceOutput) async {
        switch fault {
        case .losesTwice:
            await output(.lost(.silent))
            await output(.lost(.silent))
        case .goesOn: await output(.finished)
        case .hasNoFix: for _ in 0..<5 { await output(.noFix(NoFix(time: nil, source: name))) }
        case .namesAnotherWithoutAFix: await output(.noFix(NoFix(time: nil, source: "another")))
        case .namesAnotherForTheSky:
            var view = SkyView(time: nil, satellites: [])
            view.source = "another"
            await output(.sky(view))
        default: break
        }
    }

    private static func sleepWhateverComes() async {
        await Task.detached { try? await Task.sleep(for: .seconds(3)) }.value  // Nobody cancels it.
    }

    private func position(_ number: Int) -> Position {
        let milliseconds = fault == .repeats ? 0 : Int64(number)
        guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else { preconditionFailure("47 8 is a place") }
        var position = Position(time: UTCTime(millisecondsSince1970: milliseconds), coordinate: place)
        position.source = fault == .namesAnother ? "another" : name
        switch fault {
        case .holdsNaN: position.courseDegrees = .nan
        case .turnsTooFar: position.courseDegrees = 360
        case .drivesBackwards: position.speedMetresPerSecond = -1
        default: break
        }
        return position
    }
}
