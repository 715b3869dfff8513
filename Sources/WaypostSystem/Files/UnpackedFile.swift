/// The bytes of a file, a FIFO or standard input; gzip data is unpacked, whatever the file's name.
public struct UnpackedFile: ~Copyable {
    /// Where it is; `-` is standard input.
    public let path: String
    /// For `poll`.
    public let descriptor: Int32
    /// How many bytes of the file itself were read.
    public private(set) var readCount: Int64 = 0
    private var unpacking: GzipInput

    /// Opens it.
    public init(path: String) throws(SystemError) {
        if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
        descriptor = path == "-" ? Syscalls.standardInput : try Syscalls.openForReading(path)
        self.path = path
        unpacking = GzipInput()
    }

    deinit {
        if descriptor != Syscalls.standardInput { Syscalls.close(descriptor) }
    }

    /// Whether it is an ordinary file, which is always ready and has an end.
    public var isRegular: Bool { Syscalls.isRegularFile(descriptor) }

    /// How many bytes the file itself has; nil for anything but an ordinary file.
    public var byteCount: Int64? { Syscalls.size(descriptor) }

    /// The problem with gzip data, once the end has been reached; everything read before is intact.
    public var gzipProblem: GzipInput.Problem? { unpacking.problem }

    /// Fills the start of the array with the next bytes, waiting for them; 0 is the end.
    public mutating func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
        let descriptor = descriptor
        var readCount: Int64 = 0
        defer { self.readCount += readCount }
        return try unpacking.read(into: &buffer) { (room) throws(SystemError) in
            let count = try Syscalls.readWaiting(descriptor, into: &room)
            readCount += Int64(count)
            return count
        }
    }
}
