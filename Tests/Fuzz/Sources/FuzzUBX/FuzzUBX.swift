import FuzzSupport
import WaypostTestKit

@main
enum FuzzUBX {
    static func main() {
        Fuzzer.run { UBXContract.violations(reading: $0, seed: UInt64($0.count)) }
    }
}
