import FuzzSupport
import WaypostTestKit

@main
enum FuzzAccess {
    static func main() {
        Fuzzer.run { AccessContract.violations(reading: $0) }
    }
}
