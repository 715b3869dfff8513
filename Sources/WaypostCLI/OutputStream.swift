import Waypost
import WaypostControl
import WaypostSystem

/// A command's output: standard output, a file that is replaced when complete, or a device.
struct OutputStream: ~Copyable {
    private enum Target: ~Copyable {
        case descriptor(Int32)
        case file(AtomicFile)
    }

    private let name: String
    private var target: Target
    /// Compresses the output into a gzip file; nil where it is written as it is.
    private let packer: GzipOutput?
    /// Whether the command ends when its reader has gone away.
    private let endsWithReader: Bool
    /// Whether the output is a terminal, with a person before it.
    let isInteractive: Bool

    /// The number of columns of that screen; nil for any other output.
    var screenColumns: Int? { isInteractive ? Syscalls.terminalColumns(Syscalls.standardOutput) ?? 80 : nil }

    /// Opens the output; `-` is standard output.
    ///
    /// An existing file keeps its contents until ``finish()``. Anything but a file (a FIFO, `/dev/null`) is written to directly.
    ///
    /// - Parameters:
    ///   - isPacked: whether to write a gzip file.
    ///   - endsWithReader: whether the command ends, with exit code 0, when a reader has gone away (`| head`): for output without an end, or
    ///     with a long way to it. Any other command goes on without a reader, because its exit code says what it has found or done.
    init(path: String, isPacked: Bool = false, endsWithReader: Bool = false) throws(CommandFailure) {
        self.init(
            name: path == "-" ? "standard output" : path, packer: try isPacked ? OutputStream.makePacker(for: path) : nil,
            endsWithReader: endsWithReader, target: try OutputStream.open(path),
            isInteractive: path == "-" && Syscalls.isTerminal(Syscalls.standardOutput))
    }

    private init(name: String, packer: GzipOutput?, endsWithReader: Bool, target: consuming Target, isInteractive: Bool) {
        (self.name, self.packer, self.endsWithReader, self.isInteractive) = (name, packer, endsWithReader, isInteractive)
        self.target = target
    }

    private static func open(_ path: String) throws(CommandFailure) -> Target {
        if path == "-" { return .descriptor(Syscalls.standardOutput) }
        do throws(SystemError) {
            switch Syscalls.kind(path) {
            case .regular, .missing: return .file(try AtomicFile(path: Syscalls.resolvingLinks(path)))
            case .folder: throw SystemError.isFolder(path)
            case .other: return .descriptor(try Syscalls.openForWriting(path))
            }
        } catch {
            throw CommandFailure(.cannotCreate, what: path, why: "cannot be written: \(error.reason)")
        }
    }

    private static func makePacker(for path: String) throws(CommandFailure) -> GzipOutput {
        do throws(LibraryError) { return try GzipOutput() } catch {
            throw CommandFailure(.failed, what: path, why: "cannot be compressed: \(error.reason)")
        }
    }

    /// Writes data, which nobody gets when the reader has gone away.
    ///
    /// The data is written unchanged, except to a terminal, which no name in it may control.
    func write(_ text: borrowing TextBuffer) throws(CommandFailure) {
        if isInteractive { return try write(Array(printable(text.string, keepsLines: true).utf8)) }
        try text.withBytes { (bytes) throws(CommandFailure) in try write(bytes.bytes) }
    }

    /// Writes bytes that are no text, unchanged.
    func write(bytes: [UInt8]) throws(CommandFailure) { try write(bytes.span.bytes) }

    private func write(_ bytes: [UInt8]) throws(CommandFailure) { try write(bytes.span.bytes) }

    private func write(_ bytes: RawSpan) throws(CommandFailure) {
        guard let packer else { return try writeAsItIs(bytes) }
        try writePacked { () throws(LibraryError) in try packer.add(bytes) }
    }

    private func writePacked(_ pack: () throws(LibraryError) -> [UInt8]) throws(CommandFailure) {
        let packed: [UInt8]
        do throws(LibraryError) { packed = try pack() } catch {
            throw CommandFailure(.failed, what: name, why: "cannot be compressed: \(error.reason)")
        }
        try writeAsItIs(packed.span.bytes)
    }

    private func writeAsItIs(_ bytes: RawSpan) throws(CommandFailure) {
        do throws(SystemError) {
            switch target {
            case .descriptor(let descriptor): try Syscalls.writeAll(descriptor, bytes)
            case .file(let file): try file.write(bytes)
            }
        } catch {
            if error.isBrokenPipe {
                guard endsWithReader else { return }
                SystemProcess.exit(.ok)
            }
            let next = error.isDiskFull ? "make room, or write to another disk" : nil
            throw CommandFailure(.inputOutput, what: name, why: "cannot be written: \(error.reason)", next: next)
        }
    }

    /// Writes one line, for people or of JSON; text from others in it cannot end the line or control a terminal, wherever it ends up.
    func write(line: String) throws(CommandFailure) {
        try write(Array((printable(line) + "\n").utf8))
    }

    /// Writes the path of a file as one line: its bytes, or on a terminal its text for people.
    func write(path: String) throws(CommandFailure) {
        let line = printable(path)
        try write(isInteractive ? Array((line.shownName + "\n").utf8) : line.nameBytes + [UInt8(ascii: "\n")])
    }

    /// Writes a JSON value as one line.
    func write(value: JSONValue) throws(CommandFailure) {
        var text = TextBuffer()
        text.appendJSON { json in json.element(value) }
        try write(line: text.string)
    }

    /// Writes an object of the control protocol as one line, its members in the order of their names.
    func write(object: some ControlValue) throws(CommandFailure) { try write(line: jsonText(object)) }

    /// Writes one JSON object as one line; the closure writes its members.
    func writeObject(_ members: (inout JSONWriter) -> Void) throws(CommandFailure) { try write(line: jsonObject(members)) }

    /// Puts the file in place.
    consuming func finish() throws(CommandFailure) {
        if let packer { try writePacked { () throws(LibraryError) in try packer.finish() } }
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

/// A JSON object on one line; the closure writes its members.
func jsonObject(_ members: (inout JSONWriter) -> Void) -> String {
    var text = TextBuffer()
    text.appendJSON { json in json.object(members) }
    return text.string
}

/// An object of the control protocol as JSON, its members in the order of their names.
func jsonText(_ object: some ControlValue) -> String {
    var text = TextBuffer()
    text.appendJSON { json in object.writeElement(to: &json) }
    guard let value = try? JSONParser().parse(text.bytes) else { preconditionFailure("what was written can be read") }  // See above.
    text.removeAll()
    text.appendJSON { json in json.element(value) }
    return text.string
}
