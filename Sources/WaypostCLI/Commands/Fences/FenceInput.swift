import Waypost
import WaypostSystem

/// The fence file of a command: a path, or `-` for standard input.
struct FenceInput {
    let path: String

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
            throw CommandFailure(.inputMissing, what: path, why: "cannot be read: \(error.reason)")
        }
        return bytes
    }

    /// The fences of the file; problems with entries are reported, and a file without a usable one is refused.
    func fences() throws(CommandFailure) -> [Geofence] {
        let bytes = try bytes()
        let file: FenceFile
        do throws(FenceFileError) {
            file = try FenceFormat.read(bytes)
        } catch {
            throw CommandFailure(.badData, what: path, why: error.description)
        }
        for remark in file.remarks { SystemProcess.printError("waypost: \(path): \(remark)") }
        if file.unlistedCount > 0 { SystemProcess.printError("waypost: \(path): and \(counted(file.unlistedCount, "more remark"))") }
        guard !file.fences.isEmpty else { throw CommandFailure(.badData, what: path, why: "holds no usable fence") }
        return file.fences
    }
}
