import FuzzSupport
import WaypostTestKit

@main
enum FuzzJSON {
    static func main() {
        Fuzzer.run { JSONContract.violations(parsing: $0) }
    }
}
