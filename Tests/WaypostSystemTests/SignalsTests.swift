import Foundation
import Testing
import WaypostSystem

@Suite struct SignalsTests {
    @Test func leavesSignalsThatAreIgnoredAlone() async {
        #expect(await blockedStopRequests() == [SIGTERM, SIGINT, SIGHUP])
        // As nohup starts a program.
        signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, SIG_DFL) }
        #expect(await blockedStopRequests() == [SIGTERM, SIGINT])
    }

    /// What a thread blocks that blocked nothing before.
    private func blockedStopRequests() async -> [Int32] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var set = sigset_t()
                sigemptyset(&set)
                pthread_sigmask(SIG_SETMASK, &set, nil)
                Signals.blockStopRequests()
                pthread_sigmask(SIG_BLOCK, nil, &set)
                continuation.resume(returning: [SIGTERM, SIGINT, SIGHUP].filter { sigismember(&set, $0) == 1 })
            }
        }
    }

    /// What came meanwhile is delivered afterwards; taken here before that, so that it does not end the tests.
    @Test func holdsAStopRequestBackUntilTheWorkIsDone() {
        let taken = Signals.holdingStopRequests { () -> Int32? in
            pthread_kill(pthread_self(), SIGTERM)
            return Signals.takeStopRequest()
        }
        #expect(taken == SIGTERM)
    }
}
