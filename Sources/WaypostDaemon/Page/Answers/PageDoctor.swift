import Waypost
import WaypostSystem

/// Asks `waypost doctor`, the program beside this one, what it finds: the checks are no part of the tracker.
///
/// It runs as the tracker's user and in the service's sandbox, so it sees less than with `sudo`, and says what.
/// - Cost: the program runs for a moment, only when somebody looks; browsers that ask at the same time, or soon afterwards, get the same answer.
actor PageDoctor {
    private let command: String?
    private var last: (time: ContinuousClock.Instant, answer: PageAnswer)?
    private var running: Task<PageAnswer, Never>?

    private static let keptFor = Duration.seconds(10)
    private static let limitMilliseconds: Int64 = 30_000

    /// - Parameters:
    ///   - program: the path of this program; nil when it is not known.
    ///   - socket: the tracker's control socket.
    init(besideProgram program: String?, socket: String) {
        let folder = program.flatMap { path in path.lastIndex(of: "/").map { path[..<$0] } }
        command = folder.map { "exec \(shellWord("\($0)/waypost")) doctor --json --socket \(shellWord(socket))" }
    }

    /// What it finds.
    func answer() async -> PageAnswer {
        if let last, ContinuousClock.now - last.time < PageDoctor.keptFor { return last.answer }
        if let running { return await running.value }
        guard let command else { return .error(503, "waypost doctor is not beside the tracker") }
        let task = Task { PageDoctor.answer(await PageDoctor.output(of: command)) }
        running = task
        let answer = await task.value
        (running, last) = (nil, (ContinuousClock.now, answer))
        return answer
    }

    /// What a command prints; nil when it cannot be run.
    private static func output(of command: String) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            do throws(SystemError) {
                _ = try DedicatedThread.start(name: "page doctor") { _ in
                    // It exits with 1 when it finds a fault; without output it has not run.
                    let result = try? ShellCommand.start(command).result(withinMilliseconds: limitMilliseconds)  // As said.
                    continuation.resume(returning: result?.output)
                }
            } catch {
                continuation.resume(returning: nil)
            }
        }
    }

    /// The answer with the lines of `waypost doctor --json`.
    static func answer(_ output: [UInt8]?) -> PageAnswer {
        var lines = (output ?? []).split(separator: UInt8(ascii: "\n")).filter {
            $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
        }
        // The last one is about the whole.
        guard let whole = lines.popLast(), let sum = try? JSONParser().parse(Array(whole)),  // One that was cut is no answer.
            sum["class"]?.string == "DOCTOR"
        else { return .error(503, "waypost doctor did not answer") }
        return .object("DOCTOR") { json in
            json.member("faults", sum["faults"]?.int)
            json.member("notes", sum["notes"]?.int)
            json.member("not_checked", sum["not_checked"]?.array?.count)
            json.array("findings") { json in for line in lines { json.element(json: line) } }
        }
    }
}
