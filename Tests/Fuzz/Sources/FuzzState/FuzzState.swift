import FuzzSupport
import WaypostTestKit

@main
enum FuzzState {
    static func main() {
        Fuzzer.run { FenceStateContract.violations(decoding: $0) }
    }
}
