import FuzzSupport
import WaypostTestKit

@main
enum FuzzControl {
    static func main() {
        Fuzzer.run { ControlRequestContract.violations(reading: $0) }
    }
}
