import Glibc
import Synchronization
import Waypost
import WaypostKit
import WaypostPositioning

/// Starts, stops, swaps and drops managers in random order, from tasks, loops and consumers, some with fences and a log; checks that nothing is
/// left and nothing hangs.
enum Lives {
    /// How often each was done.
    private static let counts = Mutex<[String: Int]>([:])
    /// How many runs of sources are under way.
    static let running = Atomic(0)
    /// How long anything may take before it counts as hung; sanitizers are slow.
    private static let patience = Duration.seconds(120)

    static func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// - Parameter folder: an empty folder, for fences and logs.
    /// - Returns: whether nothing was left and nothing hung.
    static func run(rounds: Int, seed: UInt64, folder: String) async -> Bool {
        var generator = SeededGenerator(seed: seed)
        // Threads and descriptors that the first rounds open for good.
        for _ in 0..<20 where await !round(&generator, folder) { return false }
        let before = (descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"))
        counts.withLock { $0 = [:] }
        for number in 0..<rounds where await !round(&generator, folder) {
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
    private static func round(_ generator: inout SeededGenerator, _ folder: String) async -> Bool {
        let seed = generator.next()
        let remains = Mutex<Remains?>(nil)
        let life = Task {
            var generator = SeededGenerator(seed: seed)
            let left = await live(&generator, folder)
            remains.withLock { $0 = left }
        }
        guard await eventually({ remains.withLock { $0 != nil } }) else { return false }
        await life.value
        return await eventually {
            remains.withLock { $0?.isNothing == true } && running.load(ordering: .sequentiallyConsistent) == 0
        }
    }

    /// What may not be there any more when the life is over.
    private struct Remains: Sendable {
        weak let manager: PositioningManager?
        weak let monitor: FenceMonitor?
        weak let log: TrackLog?

        var isNothing: Bool { manager == nil && monitor == nil && log == nil }
    }

    private static func live(_ generator: inout SeededGenerator, _ folder: String) async -> Remains {
        let manager = PositioningManager(source: RandomSource(&generator))
        // Their folders are free only when those of the round before are gone: that they open is a check, too.
        let monitor = Bool.random(using: &generator) ? await watchFences(manager, folder) : nil
        let log = Bool.random(using: &generator) ? await keepLog(manager, folder) : nil
        let remains = Remains(manager: manager, monitor: monitor, log: log)
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
            if let monitor {
                group.addTask { for await _ in monitor.events { count("fence events") } }
            }
            try? await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))  // Nobody cancels this one.
            if Bool.random(using: &generator) { await manager.stop(ignoringHolds: Bool.random(using: &generator)) }
            // An endless source, or one that nobody starts, would keep its loops for ever.
            group.cancelAll()
        }
        if let monitor, Bool.random(using: &generator) { await monitor.close() }
        if let log, Bool.random(using: &generator) { await close(log) }
        if Bool.random(using: &generator) { attachment.detach() }
        if Bool.random(using: &generator) { hold.release() }
        if Bool.random(using: &generator) { await manager.stop() } else { count("drops") }
        return remains
    }

    /// Fences on the way that the sources take; nil, and an end with a sentence, when the folder is not free.
    private static func watchFences(_ manager: PositioningManager, _ folder: String) async -> FenceMonitor? {
        do {
            let monitor = try await FenceMonitor(manager, state: folder + "/fences")
            for kilometre in 0..<4 {
                let centre = Geodesic.end(from: RandomSource.place, azimuthDegrees: 30, distanceMetres: Double(kilometre) * 250).coordinate
                try await monitor.add(
                    Geofence(id: "\(kilometre)", name: "kilometre \(kilometre)", shape: try .circle(centre: centre, radiusMetres: 60)))
            }
            count("monitors")
            return monitor
        } catch {
            WaypostLives.fail("waypost-lives: fences: \(error)", status: 1)
        }
    }

    private static func keepLog(_ manager: PositioningManager, _ folder: String) async -> TrackLog {
        let end = ContinuousClock.now + patience
        while true {
            do {
                let log = try await TrackLog(manager, folder: folder + "/log")
                count("logs")
                return log
            } catch {
                // A log that goes without being closed frees its folder a little later.
                guard case .alreadyInUse = error, ContinuousClock.now < end else {
                    WaypostLives.fail("waypost-lives: log: \(error)", status: 1)
                }
                try? await Task.sleep(for: .milliseconds(1))  // Nobody cancels it.
            }
        }
    }

    private static func close(_ log: TrackLog) async {
        do { try await log.close() } catch { WaypostLives.fail("waypost-lives: log: \(error)", status: 1) }
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
