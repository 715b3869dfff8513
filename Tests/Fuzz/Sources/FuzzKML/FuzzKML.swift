import FuzzSupport
import WaypostTestKit

@main
enum FuzzKML {
    static func main() {
        Fuzzer.run { KMLTrackContract.violations(reading: $0) }
    }
}
