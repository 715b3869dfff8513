import Glibc
import Synchronization
import Waypost
import WaypostKit
import WaypostPositioning

/// Starts, stops, swaps and drops managers in random order, from tasks, loops and consumers; checks that nothing is left and nothing hangs.
///
/// `Tests/Scripts/Proofs/lives.sh` runs it.
enum Lives {
    /// How often each was done.
    private static let counts = Mutex<[String: Int]>([:])
    /// How many runs of sources are under way.
    static let running = Atomic(0)
    /// How long anything may take before it counts as hung; sanitizers are slow.
    private static let patience = Duration.seconds(120)

    static func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// - Returns: whether nothing was left and nothing hung.
    static func run(rounds: Int, seed: UInt64) async -> Bool {
        var generator = SeededGenerator(seed: seed)
        // Threads and descriptors that the first rounds open for good.
        for _ in 0..<20 where await !round(&generator) { return false }
        let before = (descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"))
        counts.withLock { $0 = [:] }
        for number in 0..<rounds where await !round(&generator) {
            print("hung or left behind: round \(number) of seed \(seed)")
            return false
        }
        // The threads of the last sources end soon after their runs.
        let isQuiet = await eventually { entryCount("/proc/self/task") <= before.threads }
        let after = (descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"))
        let done = counts.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print("rounds \(rounds), seed \(seed): \(done.joined(separator: ", "))")
        print("descriptors \(before.descriptors) -> \(after.descriptors), threads \(before.threads) -> \(after.threads)")
        return isQuiet && after.descriptors <= before.descriptors
    }

    /// The life of one manager; false when something hangs or is left.
    private static func round(_ generator: inout SeededGenerator) async -> Bool {
        let seed = generator.next()
        let remains = Mutex<Remains?>(nil)
        let life = Task {
            var generator = SeededGenerator(seed: seed)
            let left = await live(&generator)
            remains.withLock { $0 = left }
        }
        guard await eventually({ remains.withLock { $0 != nil } }) else { return false }
        await life.value
        return await eventually {
            remains.withLock { $0?.manager == nil } && running.load(ordering: .sequentiallyConsistent) == 0
        }
    }

    /// What may not be there any more when the life is over.
    private struct Remains: Sendable {
        weak let manager: PositioningManager?
    }

    private static func live(_ generator: inout SeededGenerator) async -> Remains {
        let manager = PositioningManager(source: RandomSource(&generator))
        let remains = Remains(manager: manager)
        let attachment = await manager.attachment(of: Meddler(manager, seed: generator.next()))
        let hold = await manager.hold(Bool.random(using: &generator) ? .everyFix : nil, reason: "lives")
        let seeds = (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.next() }
        await withTaskGroup { group in
            for seed in seeds {
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    if Bool.random(using: &generator) { return await loop(over: manager, &generator) }
                    for _ in 0..<Int.random(in: 1...4, using: &generator) { await Act.any(&generator).run(on: manager, &generator) }
                }
            }
            try? await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))  // Nobody cancels this one.
            if Bool.random(using: &generator) { await manager.stop(releasingHolds: Bool.random(using: &generator)) }
            // An endless source, or one that nobody starts, would keep its loops for ever.
            group.cancelAll()
        }
        if Bool.random(using: &generator) { attachment.detach() }
        if Bool.random(using: &generator) { hold.release() }
        if Bool.random(using: &generator) { await manager.stop() } else { count("drops") }
        return remains
    }

    private static func loop(over manager: PositioningManager, _ generator: inout SeededGenerator) async {
        let options: [PositionSelection.Options] = [.everyFix, .significantChanges, .init(distanceFilterMetres: 50)]
        func anyOptions() -> PositionSelection.Options { options.randomElement(using: &generator) ?? .everyFix }
        let updates = manager.liveUpdates(anyOptions())
        var left = Int.random(in: 1...200, using: &generator)
        count("loops")
        for await _ in updates {
            left -= 1
            if left == 0 { break }
            if Int.random(in: 0..<20, using: &generator) == 0 { await Act.any(&generator).run(on: manager, &generator) }
            if Int.random(in: 0..<20, using: &generator) == 0 { await updates.change(to: anyOptions()) }
        }
    }

    private static func eventually(_ isTrue: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if isTrue() { return true }
            try? await Task.sleep(for: .milliseconds(1))  // Nobody cancels it.
        }
        return isTrue()
    }

    private static func entryCount(_ folder: String) -> Int {
        guard let directory = opendir(folder) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}

/// What is done to a manager.
private enum Act: String, CaseIterable {
    case starts, stops, swaps, holds, matches, answers, waits, listens

    static func any(_ generator: inout SeededGenerator) -> Act { allCases.randomElement(using: &generator) ?? .starts }

    func run(on manager: PositioningManager, _ generator: inout SeededGenerator) async {
        Lives.count(rawValue)
        let isSure = Bool.random(using: &generator)
        switch self {
        case .starts: await manager.start(needing: isSure ? .everyFix : nil)
        case .stops: await manager.stop(releasingHolds: isSure)
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

/// A consumer that does something to its manager now and then, while the source waits for it.
private actor Meddler: PositioningConsumer {
    private weak let manager: PositioningManager?
    private var generator: SeededGenerator

    init(_ manager: PositioningManager, seed: UInt64) {
        self.manager = manager
        generator = SeededGenerator(seed: seed)
    }

    func consume(_ update: PositioningUpdate) async {
        var own = SeededGenerator(seed: generator.next())
        guard let manager, Int.random(in: 0..<10, using: &own) == 0 else { return }
        // It must not wait for itself.
        let act = Act.any(&own)
        guard act != .listens else { return }
        Lives.count("from a consumer")
        await act.run(on: manager, &own)
    }
}

/// A source that ends, fails, goes on for ever, or is a simulated drive.
private struct RandomSource: PositionSource {
    let name = "random"
    let sharing: SourceSharing
    private let end: End
    private let count: Int

    private enum End: CaseIterable { case finishes, fails, stays, drives }

    init(_ generator: inout SeededGenerator) {
        sharing = Bool.random(using: &generator) ? .alone : .free
        end = End.allCases.randomElement(using: &generator) ?? .stays
        count = Int.random(in: 0...50, using: &generator)
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        Lives.count("runs")
        Lives.running.add(1, ordering: .sequentiallyConsistent)
        defer { Lives.running.subtract(1, ordering: .sequentiallyConsistent) }
        if end == .drives { return try await SimulatedRouteSource(.city, playbackSpeed: 0).run(output) }
        guard let place = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8) else { return }
        var second: Int64 = 0
        while !Task.isCancelled, end == .stays || second < count {
            let metres = Double(second) * 20
            let coordinate = Geodesic.end(from: place, azimuthDegrees: 30, distanceMetres: metres).coordinate
            await output(
                .position(Position(time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + second * 1_000), coordinate: coordinate)))
            if second % 7 == 3 { await output(.lost(.silent)) }
            second += 1
            if end == .stays { try? await Task.sleep(for: .microseconds(200)) }  // Cancelled: the loop ends.
        }
        if end == .fails { throw .unusable(path: name, reason: "it fails on purpose") }
        if end == .finishes { await output(.finished) }
    }
}
