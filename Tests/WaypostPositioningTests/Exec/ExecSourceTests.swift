import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// Real programs, run by the real shell.
@Suite struct ExecSourceTests {
    private let receiver = SimulatedReceiver()

    @Test func readsWhatAPipelinePrints() async throws {
        let recording = try TemporaryFile((0..<20).map { receiver.epoch($0).text }.joined())
        try await running(ExecSource(command: "cat '\(recording.path)' | grep -v GSV; sleep 60")) { log in
            #expect(await log.waits { $0.positions.count == 20 })
            #expect(log.positions.map(\.coordinate) == (0..<20).map { receiver.epoch($0).coordinate })
            #expect(log.positions.allSatisfy { $0.source == "exec:cat" })
            #expect(log.losses.isEmpty && log.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        ("gpspipe -r", "exec:gpspipe"), ("/opt/a/read-modem.py --password hush", "exec:read-modem.py"), ("./mine;x", "exec:mine"),
        ("TOKEN=hush curl -s https://van.example/?key=hush", "exec:command"), ("'/opt/my reader' hush", "exec:command"),
        ("$READER hush", "exec:command"), ("/", "exec:command"), ("", "exec:command"), ("caf\u{E9}\u{301}\u{1B}[2J", "exec:command"),
    ])
    func namesTheProgramAndNothingElseOfTheCommand(command: String, name: String) {
        #expect(ExecSource(command: command).name == name)
    }

    @Test func isStartedAgainLaterEachTimeAndSaysHowItEnded() async throws {
        let starts = try TemporaryFile("")
        let command = "date +%s%N >> '\(starts.path)'; exit 3"
        try await running(ExecSource(command: command)) { log in
            #expect(await log.waits { _ in starts.lines.count >= 3 })
            #expect(log.losses == [.disconnected("exec:date: the program ended with exit code 3")])
            let times = starts.lines.compactMap { Int64($0) }.map { $0 / 1_000_000 }
            let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(pauses.count == 2)
            #expect((1_000..<1_900).contains(pauses[0]) && (2_000..<2_900).contains(pauses[1]), "\(pauses)")
        }
    }

    @Test(arguments: [
        ("true", "the program ended (exit code 0)"), ("kill -SEGV $$", "the program was ended by signal 11 (Segmentation fault)"),
        ("sh -c 'kill -9 $$'; exit $?", "the program ended with exit code 137 (Killed)"),
        ("/not/there", "the program was not found (exit code 127)"),
        ("/etc/passwd", "the program cannot be executed: it is not a program, or this user may not run it (exit code 126)"),
        // Who closes his output, or leaves it to others, cannot say anything any more.
        ("exec >&-; sleep 60", "the program was ended by signal 15 (Terminated)"),
        ("sleep 60 & exit 4", "the program ended with exit code 4"),
    ])
    func saysHowItEnded(command: String, words: String) async throws {
        try await running(ExecSource(command: command)) { log in
            #expect(await log.waits { !$0.losses.isEmpty })
            #expect(log.losses == [.disconnected("\(ExecSource(command: command).name): \(words)")])
        }
    }

    @Test func passesItsErrorsOn() async throws {
        try await running(ExecSource(command: "echo no such device >&2; /not/there")) { log in
            #expect(await log.waits { !$0.losses.isEmpty })
            #expect(log.warnings.first == "exec:echo: no such device")
            #expect(log.warnings.contains { $0.contains("not found") }, "the shell's own words: \(log.warnings)")
        }
    }

    @Test func endsAProgramThatWillNotGo() async throws {
        let file = try TemporaryFile("")
        // The shell and what it starts refuse SIGTERM.
        let command = "trap '' TERM; echo $$ > '\(file.path)'; cat '\(file.path)'; while :; do sleep 1; done"
        let took = try await running(ExecSource(command: command)) { log in
            #expect(await log.waits { _ in file.lines.count == 1 })
        }
        #expect(took < 1_000, "the source does not wait for it")
        let group = try #require(file.lines.first.flatMap { Int32($0) })
        #expect(ExecSourceTests.exists(group: group))
        let start = MonotonicClock.milliseconds
        #expect(await eventually(.seconds(5)) { !ExecSourceTests.exists(group: group) })
        print("a program that refuses SIGTERM was gone \(MonotonicClock.milliseconds - start) ms after the end of its source")
        #expect(MonotonicClock.milliseconds - start < 4_000)
    }

    @Test func endsWholePipelinesAtOnceAndLeavesNothingBehind() async throws {
        let file = try TemporaryFile("")
        let before = ExecSourceTests.descriptorCount
        let source = ExecSource(command: "echo $$ > '\(file.path)'; (sleep 600 | cat) & sleep 600")
        for _ in 0..<5 {
            try file.empty()
            try await running(source) { log in #expect(await log.waits { _ in file.lines.count == 1 }) }
            let group = try #require(file.lines.first.flatMap { Int32($0) })
            #expect(await eventually(.seconds(1)) { !ExecSourceTests.exists(group: group) })
        }
        #expect(await eventually(.seconds(2)) { ExecSourceTests.descriptorCount <= before }, "descriptors leak")
    }

    @Test func inheritsNothingButItsPipes() async throws {
        // Not marked to close on exec, as some libraries open theirs.
        let leaky = dup(2)
        defer { close(leaky) }
        let command =
            "sleep 5 & sleep 0.1; ls /proc/$!/fd | tr '\\n' ' ' >&2; grep -E 'Sig(Blk|Ign)' /proc/$$/status | tr '\\n' ' ' >&2; readlink /proc/$$/fd/0 >&2"
        try await running(ExecSource(command: command)) { log in
            #expect(await log.waits { !$0.losses.isEmpty })
            let text = log.warnings.joined(separator: "\n")
            #expect(text.contains(": 0 1 2 SigBlk: 0000000000000000"), "\(text)")
            // 32 and 33 are the C library's own.
            let ignored = text.split(separator: "SigIgn: ").last.flatMap { UInt64($0.prefix(16), radix: 16) }
            #expect(ignored.map { $0 & 0x7FFF_FFFF } == 0, "\(text)")
            #expect(text.contains("/dev/null"), "\(text)")
        }
    }

    @Test func boundsWhatAFloodCosts() async throws {
        let source = ExecSource(command: "yes '{\"class\":\"TPV\",\"mode\":2,\"lat\":1.5,\"lon\":2.5}'")
        let before = anonymousKilobytes
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 3_600 })
            let (count, start) = (log.positions.count, MonotonicClock.milliseconds)
            try await Task.sleep(for: .seconds(2))
            let rate = Double(log.positions.count - count) / Double(MonotonicClock.milliseconds - start) * 1_000
            #expect(rate > 10 && rate < 90, "\(rate) positions a second")
            for words in ["left out", "prints more than 1000 kB a second"] {
                #expect(await log.waits { $0.warnings.contains { $0.contains(words) } }, "\(log.warnings)")
            }
        }
        #expect(anonymousKilobytes - before < 20_000)
    }

    /// Whether anybody of the process group is alive; who has ended and is not waited for yet is not.
    private static func exists(group: Int32) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return processes.contains { process in
            guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
            // What follows the name, which is in parentheses: state, parent, group.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            return fields.count > 3 && fields[1] != "Z" && fields[3] == "\(group)"
        }
    }

    private static var descriptorCount: Int { (try? Syscalls.names(inFolder: "/proc/self/fd").count) ?? 0 }
}

/// A file for one test.
struct TemporaryFile: ~Copyable {
    let path = NSTemporaryDirectory() + "waypost-\(UUID().uuidString)"

    init(_ text: String) throws { try text.write(toFile: path, atomically: false, encoding: .utf8) }

    init(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var lines: [Substring] { ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n") }

    func empty() throws { try "".write(toFile: path, atomically: false, encoding: .utf8) }
}

/// Whether the condition comes true within that time.
private func eventually(_ time: Duration, _ isTrue: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + time
    while !isTrue() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
