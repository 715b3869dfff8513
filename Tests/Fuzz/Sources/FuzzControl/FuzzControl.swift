import CLibFuzzer
import WaypostTestKit

@main
enum FuzzControl {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            let input = Array(UnsafeBufferPointer(start: data, count: size))
            let violations = ControlRequestContract.violations(reading: input)
            precondition(violations.isEmpty, violations.map(\.description).joined(separator: "; "))
            return 0
        }
    }
}
