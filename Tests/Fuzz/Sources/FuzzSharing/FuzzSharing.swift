import FuzzSupport
import WaypostTestKit

@main
enum FuzzSharing {
    static func main() {
        Fuzzer.run { GPSDConversationContract.violations(talking: $0, seed: UInt64($0.count)) }
    }
}
