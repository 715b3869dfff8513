import CLibFuzzer
import Glibc
import Synchronization
import WaypostTestKit

/// libFuzzer's driver round a contract: an input that breaks it ends the program, and is kept.
public enum Fuzzer {
    // Written once before the driver starts, which runs on one thread; a C function pointer carries nothing along.
    nonisolated(unsafe) private static var contract: ([UInt8]) -> [Violation] = { _ in [] }

    /// Feeds inputs to a contract until the time is over; the command line is libFuzzer's.
    public static func run(_ contract: @escaping ([UInt8]) -> [Violation]) {
        self.contract = contract
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            let violations = Fuzzer.contract(Array(UnsafeBufferPointer(start: data, count: size)))
            if !violations.isEmpty {
                // A build for release keeps a precondition's words to itself.
                let line = Array((violations.map(\.description).joined(separator: "; ") + "\n").utf8)
                _ = write(STDERR_FILENO, line, line.count)
                abort()
            }
            return 0
        }
    }

    /// The same for a contract that waits for actors, on the pool's threads; the driver's own has no other work meanwhile.
    public static func run(waitingFor contract: @escaping @Sendable ([UInt8]) async -> [Violation]) {
        run { input in
            let outcome = Mutex<[Violation]?>(nil)
            Task {
                let found = await contract(input)
                outcome.withLock { $0 = found }
            }
            while true {
                if let violations = outcome.withLock({ $0 }) { return violations }
                usleep(200)
            }
        }
    }
}
