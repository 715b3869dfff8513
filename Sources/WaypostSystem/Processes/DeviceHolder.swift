import Glibc

/// A process that has a device open.
public struct DeviceHolder: Sendable, Hashable {
    /// Its process id.
    public var processID: Int32
    /// Its program's name, the first 15 bytes of it.
    public var name: String

    /// A process with that id and name.
    public init(processID: Int32, name: String) {
        self.processID = processID
        self.name = name
    }

    /// Whether it is this process.
    public var isThisProcess: Bool { processID == getpid() }

    /// The name of the tracker's program.
    public static let trackerName = "waypostd"

    /// The process ids of the other trackers on this machine.
    public static var otherTrackers: [Int32] {
        let names = (try? Syscalls.names(inFolder: "/proc")) ?? []  // Without /proc nothing is known.
        return names.compactMap(Int32.init).filter { process in
            let comm = (try? Syscalls.contents(of: "/proc/\(process)/comm")) ?? nil  // It may have ended in the meantime.
            return process != getpid() && comm?.prefix { $0 != 0x0a }.elementsEqual(trackerName.utf8) == true
        }
    }

    /// Whether another tracker runs whose open files this user cannot see.
    public static var hasHiddenTracker: Bool {
        otherTrackers.contains { (try? Syscalls.names(inFolder: "/proc/\($0)/fd")) == nil }  // Hidden is what is asked.
    }

    /// The processes that have the device open, as far as /proc shows it: root sees all, others only their own processes.
    ///
    /// - Parameter path: the device, or a link to it.
    /// - Cost: reads the links of every open file of every process that may be inspected; tens of milliseconds.
    public static func all(of path: String) -> [DeviceHolder] {
        let path = Syscalls.resolvingLinks(path)
        guard let device = DeviceIdentity(of: path) else { return [] }
        let names = (try? Syscalls.names(inFolder: "/proc")) ?? []  // Without /proc nothing is known.
        return names.compactMap(Int32.init).filter { has($0, open: device, at: path) }.map { process in
            let comm = (try? Syscalls.contents(of: "/proc/\(process)/comm")) ?? nil  // It may have ended in the meantime.
            return DeviceHolder(processID: process, name: String(decoding: (comm ?? []).prefix { $0 != 0x0a }, as: UTF8.self))
        }
    }

    private static func has(_ process: Int32, open device: DeviceIdentity, at path: String) -> Bool {
        let folder = "/proc/\(process)/fd"
        let descriptors = (try? Syscalls.names(inFolder: folder)) ?? []  // Somebody else's, or ended: not ours to see.
        return descriptors.contains { descriptor in
            let link = "\(folder)/\(descriptor)"
            // Only what may be it is looked at: a file of a server that is gone can keep whoever asks for its status.
            guard let target = Syscalls.linkTarget(link), target == path || target.hasPrefix("/dev/") else { return false }
            return DeviceIdentity(of: link) == device
        }
    }
}

extension Syscalls {
    /// The target of a symbolic link; nil when there is none.
    public static func linkTarget(_ path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            let length = buffer.withMemoryRebound(to: CChar.self) { names in
                names.baseAddress.map { readlink(path.cName, $0, names.count) } ?? 0
            }
            count = max(0, length)
        }
        return bytes.isEmpty ? nil : String(nameBytes: bytes)
    }

    /// The name of the group whose members may read and write what the path names; nil when there is nothing, or no group may.
    public static func groupName(of path: String) -> String? {
        var status = stat()
        guard stat(path.cName, &status) == 0, status.st_mode & 0o060 == 0o060 else { return nil }
        var entry = group()
        var buffer = [CChar](repeating: 0, count: 4_096)
        var found: UnsafeMutablePointer<group>?
        guard getgrgid_r(status.st_gid, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.gr_name else {
            return nil
        }
        return String(cString: name)
    }
}
