import Waypost
import WaypostSystem

/// Where a command writes: standard output, a file that is replaced when it is whole, or a device.
struct OutputStream: ~Copyable {
    private enum Target: ~Copyable {
        case descriptor(Int32)
        case file(AtomicFile)
    }

    private let name: String
    private var target: Target

    /// Opens the output; `-` is standard output.
    ///
    /// An existing file keeps its contents until ``finish()``. What is no file (a FIFO, `/dev/null`) is written to as it is.
    init(path: String) throws(CommandFailure) {
        name = path == "-" ? "standard output" : path
        if path == "-" {
            target = .descriptor(Syscalls.standardOutput)
            return
        }
        do throws(SystemError) {
            switch Syscalls.kind(path) {
            case .regular, .missing: target = .file(try AtomicFile(path: Syscalls.resolvingLinks(path)))
            case .folder: throw SystemError.isFolder(path)
            case .other: target = .descriptor(try Syscalls.openForWriting(path))
            }
        } catch {
            throw CommandFailure(.cannotCreate, what: path, why: "cannot be written: \(error.reason)")
        }
    }

    /// Writes the text; a reader that has gone away ends the command quietly, with exit code 0.
    func write(_ text: borrowing TextBuffer) throws(CommandFailure) {
        do throws(SystemError) {
            switch target {
            case .descriptor(let descriptor): try Syscalls.writeAll(descriptor, text.bytes)
            case .file(let file): try file.write(text.bytes)
            }
        } catch {
            if error.isBrokenPipe { SystemProcess.exit(.ok) }
            throw CommandFailure(.inputOutput, what: name, why: "cannot be written: \(error.reason)")
        }
    }

    /// Writes one line.
    func write(line: String) throws(CommandFailure) {
        var text = TextBuffer(capacity: line.utf8.count + 1)
        text.append(string: line)
        text.append(byte: UInt8(ascii: "\n"))
        try write(text)
    }

    /// Writes a JSON value as one line.
    func write(value: JSONValue) throws(CommandFailure) {
        var text = TextBuffer()
        text.appendJSON { json in json.element(value) }
        text.append(byte: UInt8(ascii: "\n"))
        try write(text)
    }

    /// Puts a file in its place.
    consuming func finish() throws(CommandFailure) {
        let name = name
        do throws(SystemError) {
            switch consume target {
            case .descriptor: break
            case .file(let file): try file.commit(mode: Syscalls.newFileMode)
            }
        } catch {
            throw CommandFailure(.inputOutput, what: name, why: "cannot be written: \(error.reason)")
        }
    }
}
