import FuzzSupport
import WaypostTestKit

@main
enum FuzzLines {
    static func main() {
        Fuzzer.run { LineSwitchContract.violations(sorting: $0, seed: UInt64($0.count)) }
    }
}
