import FuzzSupport
import WaypostTestKit

@main
enum FuzzCSV {
    static func main() {
        Fuzzer.run { CSVContract.violations(reading: $0) }
    }
}
