import Waypost
import WaypostKit
import WaypostPositioning

/// What is done to a manager.
enum Act: String, CaseIterable {
    case starts, stops, swaps, holds, matches, answers, waits, listens

    static func any(_ generator: inout SeededGenerator) -> Act { allCases.randomElement(using: &generator) ?? .starts }

    func run(on manager: PositioningManager, _ generator: inout SeededGenerator) async {
        Lives.count(rawValue)
        let isSure = Bool.random(using: &generator)
        switch self {
        case .starts: await manager.start(needing: isSure ? .everyFix : nil)
        case .stops: await manager.stop(ignoringHolds: isSure)
        case .swaps: await manager.use(RandomSource(&generator))
        case .holds:
            let hold = await manager.hold(isSure ? .everyFix : .within(.seconds(60)), reason: "act")
            await Task.yield()
            hold.need = nil
            if isSure { hold.release() }
        case .matches: await manager.matchPositions(with: nil)
        case .answers: await manager.answer()
        case .waits: if isSure { _ = try? await manager.waitUntilFinished() }  // A failure is as good as an end.
        case .listens: for await _ in await manager.updates(bufferingNewest: 4) { if isSure { break } }
        }
    }
}
