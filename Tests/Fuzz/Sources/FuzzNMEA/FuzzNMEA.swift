import FuzzSupport
import WaypostTestKit

@main
enum FuzzNMEA {
    static func main() {
        Fuzzer.run { NMEADecoderContract.violations(decoding: $0, seed: UInt64($0.count)) }
    }
}
