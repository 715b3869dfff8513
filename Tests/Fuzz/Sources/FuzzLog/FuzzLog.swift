import FuzzSupport
import WaypostTestKit

@main
enum FuzzLog {
    static func main() {
        Fuzzer.run(waitingFor: LogFolderContract.violations(damaging:))
    }
}
