import FuzzSupport
import WaypostTestKit

@main
enum FuzzRoads {
    static func main() {
        Fuzzer.run { RoadFileContract.violations(reading: $0) }
    }
}
