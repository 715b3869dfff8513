import FuzzSupport
import WaypostTestKit

@main
enum FuzzConfiguration {
    static func main() {
        Fuzzer.run { ConfigurationContract.outcome(ofReading: $0).violations }
    }
}
