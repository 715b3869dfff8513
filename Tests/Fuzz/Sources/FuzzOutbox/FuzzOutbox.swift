import FuzzSupport
import WaypostTestKit

@main
enum FuzzOutbox {
    static func main() {
        Fuzzer.run(waitingFor: OutboxContract.violations(damaging:))
    }
}
