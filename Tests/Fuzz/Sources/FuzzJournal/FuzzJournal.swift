import FuzzSupport
import WaypostTestKit

@main
enum FuzzJournal {
    static func main() {
        Fuzzer.run { JournalContract.violations(decoding: $0, seed: UInt64($0.count)) }
    }
}
