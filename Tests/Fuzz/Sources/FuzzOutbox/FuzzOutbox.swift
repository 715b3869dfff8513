import FuzzSupport
import WaypostTestKit

@main
enum FuzzOutbox {
    static func main() {
        Fuzzer.run { OutboxContract.violations(waitingForDamageBy: $0) }
    }
}
