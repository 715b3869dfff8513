import Foundation
import Synchronization
import Testing

@testable import WaypostSystem

/// Each in a process of its own: a pool is put in place for good.
@Suite struct TaskPoolTests {
    @Test func runsEveryTaskOfACrowdOnItsTwoThreads() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let (sum, names) = await withTaskGroup(of: (Int, String?).self) { group in
                for number in 1...100_000 {
                    group.addTask { (number, number % 1_000 == 0 ? threadName() : nil) }
                }
                return await group.reduce(into: (0, Set<String>())) { result, next in
                    result.0 += next.0
                    if let name = next.1 { result.1.insert(name) }
                }
            }
            #expect(sum == 5_000_050_000)
            #expect(!names.isEmpty && names.isSubset(of: ["tasks-1", "tasks-2"]))
        }
    }

    /// As in a toolchain that is not known: the runtime's own pool goes on, with all that it was given before.
    @Test func goesBackToTheRuntimesOwnPoolWhenSleepsDoNotCome() async {
        await #expect(processExitsWith: .success) {
            #expect(throws: SystemError.self) { try TaskPool.install(2, takesSleeps: false) }
            let names = await withTaskGroup(of: String?.self) { group in
                for _ in 1...1_000 {
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(1))
                        return threadName()
                    }
                }
                return await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
            }
            #expect(!names.isEmpty && names.isDisjoint(with: ["tasks-1", "tasks-2"]), "\(names)")
        }
    }

    @Test func passesWorkBetweenActorsAndTheirThreads() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let players = [Player(), Player(), Player(), Player()]
            let owner = try Owner()
            await withTaskGroup(of: Void.self) { group in
                for first in players.indices {
                    group.addTask {
                        for round in 0..<5_000 {
                            await players[(first + round) % players.count].hit()
                            if round % 10 == 0 { await owner.hit() }
                        }
                    }
                }
            }
            for player in players { #expect(await player.hits == 5_000) }
            #expect(await owner.hits == 2_000)
        }
    }

    @Test func doesTheWorkOfAnActorThatTakesHelp() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let owners = [try Owner(takesHelp: true), try Owner(takesHelp: true)]
            let player = Player()
            await withTaskGroup(of: Void.self) { group in
                for first in 0..<4 {
                    group.addTask {
                        for round in 0..<5_000 {
                            await owners[(first + round) % 2].hit()
                            await player.hit()
                        }
                    }
                }
            }
            for owner in owners {
                #expect(await owner.hits == 10_000)
                #expect(await owner.overlaps == 0)
                #expect(await owner.threads.isSubset(of: ["tasks-1", "tasks-2", "owner"]))
            }
            #expect(await player.hits == 20_000)
            // One task alone needs nobody else's thread.
            let alone = try Owner(takesHelp: true)
            for _ in 0..<1_000 { await alone.hit() }
            let pooled = await alone.threads.intersection(["tasks-1", "tasks-2"])
            #expect(!pooled.isEmpty)
        }
    }

    @Test func holdsUpNobodyWhileAHelperWaitsForADisk() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let owner = try Owner(takesHelp: true)
            let path = NSTemporaryDirectory() + "waypost-pool-\(UInt32.random(in: 0...(.max)))"
            let player = Player()
            for _ in 0..<100 {
                let other = Task { await player.hit() }
                await owner.synchronize(path)
                await other.value
            }
            unlink(path)
            #expect(await player.hits == 100)
            #expect(await owner.overlaps == 0)
        }
    }

    @Test func wakesNobodyForWhatAGuestSetsGoing() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let line = Line()
            let player = Player()
            let owner = try Owner(takesHelp: true)
            let listener = Task {
                var names: [String: Int] = [:]
                while await line.next() {
                    await player.hit()
                    await owner.hit()
                    names[threadName(), default: 0] += 1
                }
                return names
            }
            let guest = Thread {
                let before = poolWakeUps()
                for _ in 0..<200 {
                    TaskPool.attend { line.send() }
                    usleep(2_000)
                }
                let wakeUps = poolWakeUps() - before
                #expect(wakeUps < 40, "\(wakeUps) wake-ups of the pool for 200 messages")
                TaskPool.attend { line.end() }
            }
            guest.start()
            let names = await listener.value
            #expect(names.reduce(0) { $0 + ($1.key.hasPrefix("tasks-") ? 0 : $1.value) } > 150, "\(names)")
            #expect(await player.hits == 200)
            #expect(await owner.hits == 200)
            #expect(await owner.overlaps == 0)
        }
    }

    @Test func letsAGuestGoBackToItsOwnWork() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let flag = Flag()
            let guest = Thread {
                // A task that never waits.
                TaskPool.attend { Task { while !flag.isRaised { await Task.yield() } } }
                flag.raise()
            }
            guest.start()
            while !flag.isRaised { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test func endsASleepWithAGuestWhenItsToleranceAllows() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let sleeper = Task {
                try? await Task.sleep(for: .milliseconds(50), tolerance: .seconds(3_600))
                return threadName()
            }
            let guest = Thread {
                usleep(500_000)
                TaskPool.attend {}
            }
            guest.start()
            #expect(await !sleeper.value.hasPrefix("tasks-"))
        }
    }

    @Test func endsSleepsOnTimeAndInOrder() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let late = await withTaskGroup(of: Duration.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let wait = Duration.milliseconds(number * 7 % 400)
                        let start = ContinuousClock.now
                        switch number % 3 {
                        case 0: try? await Task.sleep(for: wait)
                        case 1: try? await Task.sleep(until: .now + wait, clock: .suspending)
                        default: try? await Task.sleep(for: wait, tolerance: .milliseconds(50))
                        }
                        return ContinuousClock.now - start - wait
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(late.count == 500)
            #expect(late.min() ?? .zero > .zero)
            // Generous: other tests share the machine.
            #expect(late.max() ?? .zero < .seconds(2))
        }
    }

    @Test func endsSleepsWhileItsThreadsAreBusy() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let flag = Flag()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { while !flag.isRaised { await Task.yield() } }
                }
                group.addTask {
                    for _ in 0..<20 { try? await Task.sleep(for: .milliseconds(5)) }
                    flag.raise()
                }
            }
        }
    }

    @Test func endsACancelledSleepAtOnce() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let start = ContinuousClock.now
            let sleepers = (0..<10_000).map { _ in
                Task { try await Task.sleep(for: .seconds(3_600)) }
            }
            for sleeper in sleepers { sleeper.cancel() }
            var cancelled = 0
            for sleeper in sleepers {
                do { try await sleeper.value } catch is CancellationError { cancelled += 1 }
            }
            #expect(cancelled == sleepers.count)
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    @Test func runsAJobBesideOneThatTakesLong() async {
        await #expect(processExitsWith: .success) {
            try TaskPool.install()
            let flag = Flag()
            let long = Task {
                // Blocks its thread until another task has run.
                while !flag.isRaised { usleep(1_000) }
            }
            let thread = Thread { Task { flag.raise() } }
            thread.start()
            await long.value
        }
    }
}

private func threadName() -> String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return String(name?.dropLast() ?? "")
}

/// How often threads of the pool have waited so far.
private func poolWakeUps() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
        guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8), status.contains("\ttasks-"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary") })
        else { return sum }
        return sum + (Int(line.split(separator: "\t")[1]) ?? 0)
    }
}

/// Messages from a thread to a task.
private final class Line: Sendable {
    private let stream = AsyncStream<Void>.makeStream()

    func send() { stream.continuation.yield() }
    func end() { stream.continuation.finish() }
    func next() async -> Bool {
        for await _ in stream.stream { return true }
        return false
    }
}

private final class Flag: Sendable {
    private let raised = Atomic(false)
    var isRaised: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}

private actor Player {
    private(set) var hits = 0
    func hit() { hits += 1 }
}

private actor Owner {
    private(set) var hits = 0
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private(set) var threads: Set<String> = []
    /// How often two threads were inside.
    private(set) var overlaps = 0
    private let isInside = Atomic(false)

    init(takesHelp: Bool = false) throws { executor = try ThreadExecutor(name: "owner", takesHelp: takesHelp) }

    func hit() {
        if isInside.exchange(true, ordering: .acquiringAndReleasing) { overlaps += 1 }
        hits += 1
        if hits % 100 == 1 { threads.insert(threadName()) }
        isInside.store(false, ordering: .releasing)
    }

    /// Waits for the disk after it has begun a task.
    func synchronize(_ path: String) {
        do { try AtomicFile.write(Array("x".utf8), to: path) } catch { overlaps += 1 }
    }
}
