import FuzzSupport
import WaypostTestKit

@main
enum FuzzControl {
    static func main() {
        // Both sides of the socket are somebody else's.
        Fuzzer.run { ControlRequestContract.violations(reading: $0) + ControlAnswerContract.violations(reading: $0) }
    }
}
