import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

/// A `waypostd` that tracks, with all it leaves in a folder of its own: `state/`, `log/` and the control socket `socket`.
final class TrackerProcess: Sendable {
    /// The folder.
    let folder: TestFolder
    /// The daemon.
    let process: ProgramProcess

    /// The options that keep everything in the working folder.
    static let options = ["--state", "state", "--log", "log", "--socket", "socket"]

    /// Starts the daemon and waits until it answers on its socket, or has ended.
    init(source: String, in folder: TestFolder, options: [String] = [], log: String = "log") async throws {
        self.folder = folder
        let places = TrackerProcess.options.map { $0 == "log" ? log : $0 }
        process = try ProgramProcess([Program.waypostd.path, "--source", source] + places + options, in: folder)
        try #require(await eventually { process.ended != nil || TrackerProcess.answers(folder.path("socket")) }, "\(process.errors)")
    }

    /// Starts `waypost watch` and waits until the daemon has it in its list.
    func watch(_ arguments: String...) async throws -> ProgramProcess {
        let watcher = try ProgramProcess(.waypost, ["watch", "--socket", "socket"] + arguments, in: folder)
        // Once it is connected its request follows at once; nothing that the test does after a moment overtakes it.
        try #require(await eventually { watcher.hasSocket || watcher.ended != nil })
        try await Task.sleep(for: .milliseconds(200))
        return watcher
    }

    /// Asks it to stop and waits for the end.
    func stop(with signal: Int32 = SIGTERM) async throws -> ProgramExit {
        process.send(signal)
        return try await process.exit()
    }

    /// The GPX files of the log, oldest name first.
    var tracks: [GPXFile] {
        get throws {
            try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }.map { try GPXFile(path: folder.path("log/\($0)")) }
        }
    }

    private static func answers(_ path: String) -> Bool {
        guard let descriptor = try? UnixSocket.connect(path) else { return false }
        Syscalls.close(descriptor)
        return true
    }
}

extension ProgramProcess {
    /// Whether it has an open socket.
    fileprivate var hasSocket: Bool {
        let folder = "/proc/\(processID)/fd/"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.contains { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + descriptor))?.hasPrefix("socket:") == true
        }
    }

    /// How many bytes it has written so far, to whatever.
    var writtenByteCount: Int {
        get throws {
            let lines = try String(contentsOfFile: "/proc/\(processID)/io", encoding: .utf8).split(separator: "\n")
            return try #require(lines.first { $0.hasPrefix("wchar: ") }.flatMap { Int($0.dropFirst(7)) })
        }
    }

    /// The positions among the lines of `watch --json` so far.
    var positions: [Position] {
        output.split(separator: "\n").compactMap { line in
            guard case .position(let position)? = try? TPVCodec.decode(Array(line.utf8)) else { return nil }
            return position
        }
    }

    /// How many whole lines of that class `watch --json` has printed.
    func count(class name: String) -> Int { lines(class: name).count }

    /// The whole lines of that class that `watch --json` has printed.
    func lines(class name: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("{\"class\":\"\(name)\"") && $0.hasSuffix("}") }.map(String.init)
    }
}

/// A FIFO to which the test writes as a receiver.
final class ReceiverFIFO: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ name: String, in folder: TestFolder) throws {
        path = folder.path(name)
        try #require(mkfifo(path, 0o644) == 0)
        // For reading, too: that opens at once, and the reader sees no end before close().
        descriptor = try Syscalls.open(path, O_RDWR)
    }

    /// Writes, waiting for the reader when the FIFO is full.
    func write(_ text: String) throws { try Syscalls.writeAll(descriptor, Array(text.utf8)) }

    /// Ends the input: the reader sees the end.
    ///
    /// Waits until what was written has been read, as it is gone with the last end that is open: a tracker answers before it opens its source.
    func close() {
        var waiting: Int32 = 0
        for _ in 0..<300 where ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 && waiting > 0 { usleep(10_000) }
        Syscalls.close(descriptor)
    }
}
