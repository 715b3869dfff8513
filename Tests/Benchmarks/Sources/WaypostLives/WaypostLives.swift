import Glibc

/// Lives of managers, with sanitizers too: no allocator of its own is linked, as it is to the benchmarks.
///
/// `Tests/Scripts/Proofs/lives.sh` runs it.
@main
enum WaypostLives {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let rounds = Int(arguments[1]), let seed = UInt64(arguments[2]), rounds > 0 else {
            fail("usage: waypost-lives ROUNDS SEED FOLDER", status: 64)
        }
        if await !Lives.run(rounds: rounds, seed: seed, folder: arguments[3]) { exit(1) }
    }

    static func fail(_ text: String, status: Int32) -> Never {
        // Not stderr: as a C variable it is not concurrency-safe.
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}
