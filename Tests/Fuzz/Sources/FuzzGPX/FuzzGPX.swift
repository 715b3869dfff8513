import CLibFuzzer
import WaypostTestKit

@main
enum FuzzGPX {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            let input = Array(UnsafeBufferPointer(start: data, count: size))
            let violations = GPXContract.violations(reading: input, seed: UInt64(input.count))
            precondition(violations.isEmpty, violations.map(\.description).joined(separator: "; "))
            return 0
        }
    }
}
