import FuzzSupport
import WaypostTestKit

@main
enum FuzzFences {
    static func main() {
        Fuzzer.run { FenceFormatContract.violations(reading: $0) }
    }
}
