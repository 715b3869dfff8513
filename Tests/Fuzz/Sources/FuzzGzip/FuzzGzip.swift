import FuzzSupport
import WaypostTestKit

@main
enum FuzzGzip {
    static func main() {
        Fuzzer.run { GzipContract.violations(reading: $0) }
    }
}
