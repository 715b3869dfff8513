import FuzzSupport
import WaypostTestKit

@main
enum FuzzOutbox {
    static func main() {
        Fuzzer.run { OutboxContract.violations(damaging: $0) }
    }
}
