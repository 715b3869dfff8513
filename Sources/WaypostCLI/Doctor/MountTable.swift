import WaypostSystem

/// The mounted file systems: `/proc/mounts`.
struct MountTable: Sendable {
    /// One mount.
    struct Mount: Equatable, Sendable {
        /// The mount point.
        var folder: String
        /// The file system's kind.
        var kind: String
        /// Its options.
        var options: [String]
        /// The line of the table.
        var evidence: Evidence

        /// Whether it is read-only.
        var isReadOnly: Bool { options.contains("ro") }
        /// Whether its content is lost when the power goes.
        var isInMemory: Bool { ["tmpfs", "ramfs", "devtmpfs", "zram"].contains(kind) }
        /// Whether its files have owners, as the log's must.
        var hasOwners: Bool { !["exfat", "vfat"].contains(kind) }
        /// Whether it is a writable disk that does not belong to the boot system.
        var isDisk: Bool {
            ["ext2", "ext3", "ext4", "f2fs", "btrfs", "xfs", "ubifs", "jffs2", "exfat", "vfat"].contains(kind) && !isReadOnly
                && !folder.hasPrefix("/boot")
        }
    }

    /// The mounts, later ones over earlier ones.
    var mounts: [Mount]

    /// The table of a tree; nil when it has none.
    init?(_ tree: SystemTree) {
        guard let lines = ["/proc/mounts", "/proc/self/mounts"].lazy.compactMap(tree.lines).first else { return nil }
        mounts = lines.compactMap { line in
            // /dev/mmcblk0p2 / ext4 rw,noatime 0 0
            let fields = line.text.split(separator: " ")
            guard fields.count >= 4 else { return nil }
            return Mount(
                folder: MountTable.unescaped(fields[1]), kind: String(fields[2]), options: fields[3].split(separator: ",").map(String.init),
                evidence: line)
        }
    }

    /// The mount that a path is on.
    func mount(of path: String) -> Mount? {
        // The last of the deepest: it hides the others.
        mounts.enumerated().filter { isBelow(path, $0.element.folder) }
            .max { ($0.element.folder.count, $0.offset) < ($1.element.folder.count, $1.offset) }?.element
    }

    /// Whether what is written to a path is lost at the next start.
    func forgets(_ path: String) -> Bool {
        guard let mount = mount(of: path) else { return false }
        return mount.isInMemory || upperMount(of: mount)?.isInMemory == true
    }

    /// The mount of an overlay's upper folder, which receives what is written.
    func upperMount(of mount: Mount) -> Mount? {
        guard let option = mount.options.first(where: { $0.hasPrefix("upperdir=") }) else { return nil }
        let path = String(option.dropFirst("upperdir=".count))
        let found = self.mount(of: path)
        return found?.folder == mount.folder ? nil : found
    }

    /// Spaces are escaped as `\040` there.
    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            if character == "\\", let code = UInt8(rest.prefix(3), radix: 8) {
                result.unicodeScalars.append(Unicode.Scalar(code))
                rest = rest.dropFirst(3)
            } else {
                result.append(character)
            }
        }
        return result
    }
}
