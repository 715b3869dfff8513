import FuzzSupport
import WaypostTestKit

@main
enum FuzzGPX {
    static func main() {
        Fuzzer.run { GPXContract.violations(reading: $0, seed: UInt64($0.count)) }
    }
}
