import Foundation
import Glibc
import Synchronization
import WaypostSystem

/// How a program ended.
struct ProgramExit: Equatable {
    /// Its exit code, nil when a signal ended it.
    var code: Int32?
    /// The signal that ended it.
    var signal: Int32?
}

/// A program that runs, with its output in files; it is killed when nobody refers to it any more.
final class ProgramProcess: Sendable {
    /// What the program reads.
    enum Input {
        case nothing
        case file(String)
    }

    enum Failure: Error, CustomStringConvertible {
        case cannotStart(String, Int32)
        case doesNotEnd(String)

        var description: String {
            switch self {
            case .cannotStart(let command, let code): "\(command) cannot be started: \(SystemError(code: code, operation: "").reason)"
            case .doesNotEnd(let command): "\(command) does not end"
            }
        }
    }

    /// Its number.
    let processID: pid_t
    private let command: String
    private let outputPath: String
    private let errorPath: String
    private let state = Mutex<(exit: ProgramExit?, peakKilobytes: Int)>((nil, 0))

    /// Starts a command with the folder as its working folder.
    ///
    /// - Parameters:
    ///   - command: the program, by path or to be found in PATH, and its arguments.
    ///   - environment: beside PATH, HOME (the folder) and what the loader needs.
    init(_ command: [String], in folder: TestFolder, environment: [String: String] = [:], input: Input = .nothing) throws {
        self.command = command.joined(separator: " ")
        let name = "." + String(UInt32.random(in: .min ... .max), radix: 16)
        outputPath = folder.path(name + ".out")
        errorPath = folder.path(name + ".err")

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let inputPath = if case .file(let path) = input { path } else { "/dev/null" }
        posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        // Nothing of this process's own: a pipe of another test that stays open there would never end.
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // Signals as a shell gives them: threads of the pool block all, and a program inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var variables = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder.path]
        for name in ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS"] { variables[name] = ProcessInfo.processInfo.environment[name] }
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables.merge(environment) { $1 }
        // The calls that change the folder in posix_spawn are not imported; a shell that becomes the program does it.
        let shell = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path]
        var arguments: [UnsafeMutablePointer<CChar>?] = (shell + command).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + settings { free(pointer) } }
        var processID = pid_t()
        let code = posix_spawn(&processID, shell[0], &actions, &attributes, &arguments, &settings)
        guard code == 0 else { throw Failure.cannotStart(self.command, code) }
        self.processID = processID
    }

    convenience init(_ program: Program, _ arguments: [String], in folder: TestFolder, environment: [String: String] = [:]) throws {
        try self.init([program.path] + arguments, in: folder, environment: environment)
    }

    deinit {
        guard state.withLock({ $0.exit }) == nil else { return }
        kill(processID, SIGKILL)
        kill(processID, SIGCONT)
        waitpid(processID, nil, 0)
    }

    /// What it has written to standard output so far.
    var output: String { ProgramProcess.text(outputPath) }

    /// The last few lines of it.
    var outputEnd: String {
        guard let file = FileHandle(forReadingAtPath: outputPath), let size = try? file.seekToEnd() else { return "" }
        try? file.seek(toOffset: size - min(size, 4_096))
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// What it has written to standard error so far.
    var errors: String { ProgramProcess.text(errorPath) }

    /// The lines of standard error.
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Sends it a signal; does nothing once it has ended.
    func send(_ signal: Int32) {
        if ended == nil { kill(processID, signal) }
    }

    /// How it ended, nil while it runs.
    var ended: ProgramExit? {
        state.withLock { state in
            if let exit = state.exit { return exit }
            state.peakKilobytes = max(state.peakKilobytes, statusField("VmHWM") ?? 0)
            var status: Int32 = 0
            guard waitpid(processID, &status, WNOHANG) == processID else { return nil }
            let signal = status & 0x7f
            state.exit = signal == 0 ? ProgramExit(code: status >> 8 & 0xff) : ProgramExit(signal: signal)
            return state.exit
        }
    }

    /// The most memory that it was seen to have, in kilobytes; looked at whenever somebody asks whether it has ended.
    ///
    /// Not from wait4: the kernel counts there what the starting process had before exec.
    var peakKilobytes: Int { state.withLock { $0.peakKilobytes } }

    /// The memory that it has of its own now, in kilobytes.
    ///
    /// Not VmRSS: what of the program's file is in memory is the kernel's choice, and varies by some hundred kilobytes.
    var anonymousKilobytes: Int? { statusField("RssAnon") }

    /// Waits for its end; one that does not come is an error.
    @discardableResult
    func exit(within limit: Duration = .seconds(120)) async throws -> ProgramExit {
        guard await eventually(within: limit, every: .milliseconds(5), { self.ended != nil }), let exit = ended else {
            throw Failure.doesNotEnd(command)
        }
        return exit
    }

    func statusField(_ name: String) -> Int? {
        let text = ProgramProcess.text("/proc/\(processID)/status")
        return text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { Int($0.filter(\.isNumber)) }
    }

    private static func text(_ path: String) -> String {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// What a program that has ended has left.
struct Finished {
    var code: Int32?
    var output: String
    var errors: String
    var peakKilobytes: Int

    /// What it said about its own failure: lines that begin with the program's name.
    var complaints: [String] { errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("waypost: ") } }
    var outputLines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs a command to its end.
func finish(
    _ command: [String], in folder: TestFolder, environment: [String: String] = [:], input: ProgramProcess.Input = .nothing
) async throws -> Finished {
    let process = try ProgramProcess(command, in: folder, environment: environment, input: input)
    let exit = try await process.exit()
    return Finished(code: exit.code, output: process.output, errors: process.errors, peakKilobytes: process.peakKilobytes)
}

/// Runs `waypost` to its end.
func waypost(_ arguments: String..., in folder: TestFolder, environment: [String: String] = [:]) async throws -> Finished {
    try await finish([Program.waypost.path] + arguments, in: folder, environment: environment)
}

/// Waits until something is so; false when it is not within the limit, which is generous as builds may run beside the tests.
func eventually(
    within limit: Duration = .seconds(60), every pause: Duration = .milliseconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        if ContinuousClock.now > end { return false }
        // Cancelled only when the whole run is given up.
        try? await Task.sleep(for: pause)
    }
    return true
}
