import Waypost
import WaypostSystem

/// The fence file of a command: a path, or `-` for standard input.
struct FenceInput {
    let path: String

    /// The most warnings that are told beside the work.
    private static let mostWarnings = 20

    /// What is a fence file.
    static let forms = "a fence file is GeoJSON, KML, or one of OwnTracks, Traccar or Tealium"

    /// The accuracy of a common receiver: smaller fences get a warning.
    static let usualAccuracyMetres = 10.0

    /// The file's bytes; at most as many as a fence file may have, and one more to show that it is longer.
    func bytes() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        let limit = FenceFileLimits().bytes
        // The shell's <(command) is a pipe.
        if path != "-", Syscalls.kind(path) == .other, !Syscalls.isPipe(path) {
            throw CommandFailure(.inputMissing, what: path, why: "is not a file", next: "name a fence file, or - for standard input")
        }
        do throws(SystemError) {
            if path != "-", Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
            let reader = try FileReader(path: path == "-" ? "/dev/stdin" : path)
            while bytes.count <= limit, case let piece = try reader.read(upTo: 1 << 20), !piece.isEmpty { bytes += piece }
        } catch {
            throw CommandFailure(reading: path, error)
        }
        return bytes
    }

    /// The fences of the file; problems with entries are reported, and a file without a usable one is refused.
    ///
    /// - Parameter warns: whether to report also what is probably a mistake, as `waypost fences check` does.
    func fences(warns: Bool = false) throws(CommandFailure) -> [Geofence] {
        let bytes = try bytes()
        let file: FenceFile
        do throws(FenceFileError) {
            let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
            file = try warns ? FenceLinter(accuracyMetres: FenceInput.usualAccuracyMetres, now: now).check(bytes) : FenceFormat.read(bytes)
        } catch {
            throw CommandFailure(.badData, what: path, why: error.description, next: FenceInput.forms)
        }
        if file.fences.isEmpty, file.unlistedCount == 0, let only = file.remarks.first, file.counts[.error] == 1 {
            throw CommandFailure(.badData, what: path, why: "holds no usable fence: \(only)")
        }
        var warningCount = 0
        for remark in file.remarks where !warns || remark.severity != .note {
            if warns, remark.severity == .warning {
                warningCount += 1
                if warningCount > FenceInput.mostWarnings { continue }
            }
            let kind = warns && remark.severity == .warning ? "warning: " : ""
            SystemProcess.printError("waypost: \(path): \(kind)\(remark)")
        }
        if warningCount > FenceInput.mostWarnings {
            let more = counted(warningCount - FenceInput.mostWarnings, "more warning")
            SystemProcess.printError("waypost: \(path): and \(more); waypost fences check shows all")
        }
        if file.unlistedCount > 0 { SystemProcess.printError("waypost: \(path): and \(counted(file.unlistedCount, "more remark"))") }
        guard !file.fences.isEmpty else { throw CommandFailure(.badData, what: path, why: "holds no usable fence") }
        return file.fences
    }
}
