import CLibFuzzer
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
            precondition(violations.isEmpty, violations.map(\.description).joined(separator: "; "))
            return 0
        }
    }
}
