import CLibFuzzer
import WaypostTestKit

@main
enum FuzzLines {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            let input = Array(UnsafeBufferPointer(start: data, count: size))
            let violations = LineSwitchContract.violations(sorting: input, seed: UInt64(input.count))
            precondition(violations.isEmpty, violations.map(\.description).joined(separator: "; "))
            return 0
        }
    }
}
