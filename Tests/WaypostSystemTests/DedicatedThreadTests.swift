import Foundation
import Synchronization
import Testing
import WaypostSystem

@Suite struct DedicatedThreadTests {
    @Test func runsTheBodyUnderItsName() async throws {
        let name = await withCheckedContinuation { continuation in
            _ = try? DedicatedThread.start(name: "a name longer than fifteen") { _ in
                continuation.resume(returning: try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))
            }
        }
        #expect(name == "a name longer t\n")
    }

    @Test func cancellationEndsASleepAtOnce() async throws {
        let start = MonotonicClock.milliseconds
        let slept = try await result { stop in
            stop.sleep(milliseconds: 60_000)
        } whileRunning: {
            $0.raise()
        }
        #expect(slept == false)
        #expect(MonotonicClock.milliseconds - start < 5_000)
    }

    @Test func sleepsItsTimeWhenNobodyAsksToStop() throws {
        let stop = try WakeSignal()
        let start = MonotonicClock.milliseconds
        #expect(stop.sleep(milliseconds: 30))
        #expect(MonotonicClock.milliseconds - start >= 30)
        #expect(stop.sleep(milliseconds: -5))
    }

    @Test func cancellationEndsAWaitForReadingAndStaysCancelled() async throws {
        let (near, far) = try Syscalls.socketPair()
        defer {
            Syscalls.close(near)
            Syscalls.close(far)
        }
        let wake = try await result { stop in
            [
                stop.wait(forReading: near, timeoutMilliseconds: nil), stop.wait(forReading: near, timeoutMilliseconds: 0),
            ]
        } whileRunning: {
            $0.raise()
            $0.raise()
        }
        #expect(wake == [.raised, .raised])
    }

    @Test func tellsDataHangUpAndTimeOutApart() throws {
        let stop = try WakeSignal()
        let (near, far) = try Syscalls.socketPair()
        defer { Syscalls.close(near) }
        #expect(stop.wait(forReading: near, timeoutMilliseconds: 10) == .timedOut)
        try Syscalls.writeAll(far, [1])
        #expect(stop.wait(forReading: near, timeoutMilliseconds: nil) == .ready)
        var byte: UInt8 = 0
        #expect(try withUnsafeMutableBytes(of: &byte) { try Syscalls.read(near, into: $0) } == 1)
        Syscalls.close(far)
        #expect(stop.wait(forReading: near, timeoutMilliseconds: nil) == .ready)
    }

    @Test func releasesItsDescriptorsAndItsBody() async throws {
        final class Witness: Sendable {
            static let alive = Atomic(0)
            init() { Witness.alive.add(1, ordering: .relaxed) }
            deinit { Witness.alive.subtract(1, ordering: .relaxed) }
        }
        // More threads than the usual limit of descriptors, in groups.
        for _ in 0..<20 {
            for _ in 0..<100 {
                let witness = Witness()
                try DedicatedThread.start(name: "short") { _ in withExtendedLifetime(witness) {} }.raise()
            }
            for _ in 0..<500 where Witness.alive.load(ordering: .relaxed) > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(Witness.alive.load(ordering: .relaxed) == 0)
        }
    }

    /// What a thread's body returns, while the caller does something to the thread.
    private func result<Value: Sendable>(
        of body: @escaping @Sendable (WakeSignal) -> Value, whileRunning act: @escaping @Sendable (WakeSignal) -> Void
    ) async throws -> Value {
        let results = AsyncStream<Value>.makeStream()
        let thread = try DedicatedThread.start(name: "test") { stop in
            results.continuation.yield(body(stop))
            results.continuation.finish()
        }
        try await Task.sleep(for: .milliseconds(50))
        act(thread)
        for await value in results.stream { return value }
        throw CancellationError()
    }
}
