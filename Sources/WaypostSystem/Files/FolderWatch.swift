import Glibc

/// Notices when something happens in folders, with the kernel's inotify.
///
/// ```
/// look(at:)      before the folders are read: nothing that happens from then on is missed
/// poll           the descriptor is readable when something has happened
/// clear()
/// ```
/// - Concurrency: one owner.
public final class FolderWatch {
    /// A folder, and what in it counts.
    public struct Place: Hashable, Sendable {
        /// The folder.
        public var folder: String
        /// The only name in it that counts; nil for everything in it, including writes.
        public var name: String?

        /// Everything in a folder, or one name in it.
        public init(folder: String, name: String? = nil) {
            self.folder = folder
            self.name = name
        }
    }

    private static let changes = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// The descriptor to poll for reading.
    public let descriptor: Int32
    private var names: [Int32: String?] = [:]

    /// A watch without places.
    ///
    /// - Errors: the user has no watches left.
    public init() throws(SystemError) {
        descriptor = try Syscalls.retrying("watch") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// Watches these places and no others; paths are resolved again, because another folder may be there now.
    ///
    /// - Returns: whether all of them that exist are watched.
    public func look(at places: [Place]) -> Bool {
        var found: [Int32: String?] = [:]
        var isComplete = true
        for place in places {
            let mask = FolderWatch.changes | (place.name == nil ? UInt32(IN_MODIFY) : 0)
            let watch = inotify_add_watch(descriptor, place.folder.cName, mask)
            if watch >= 0 { found[watch] = place.name } else if errno != ENOENT && errno != ENOTDIR { isComplete = false }
        }
        for watch in names.keys where found[watch] == nil { inotify_rm_watch(descriptor, watch) }
        names = found
        return isComplete
    }

    /// Forgets what has happened; returns whether any of it counts.
    public func clear() -> Bool {
        var isOfInterest = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    offset = start + Int(event.len)
                    let name = bytes[start..<min(offset, count)].prefix { $0 != 0 }
                    // Only names that do not count are skipped; an overflow counts.
                    if let wanted = names[event.wd] ?? nil, !name.isEmpty, !name.elementsEqual(wanted.nameBytes) { continue }
                    isOfInterest = true
                }
            }
        }
        return isOfInterest
    }
}

extension Syscalls {
    /// Whether something can be read from the descriptor now.
    public static func isReadable(_ descriptor: Int32) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return (try? poll(&descriptors, timeoutMilliseconds: 0)) == 1  // What cannot be polled has nothing to read.
    }

    /// Waits until a watch or a signal is readable, an output has no reader any more, or the time is over; returns which of them it was.
    public static func waitForChange(
        log: Int32?, stop: Int32, output: Int32, timeoutMilliseconds: Int32
    ) throws(SystemError) -> (log: Bool, stop: Bool, output: Bool) {
        // A negative descriptor is ignored; a hang-up is reported without being asked for.
        var descriptors = [
            pollfd(fd: log ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output, events: 0, revents: 0),
        ]
        _ = try poll(&descriptors, timeoutMilliseconds: timeoutMilliseconds)
        return (descriptors[0].revents != 0, descriptors[1].revents != 0, descriptors[2].revents != 0)
    }
}
