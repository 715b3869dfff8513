import Synchronization

/// What this process has given to disks: how often it waited for one, and how many bytes of files it wrote.
///
/// Flash wears with both.
public enum DiskWork {
    private static let synchronizations = Atomic(0)
    private static let bytes = Atomic(0)

    /// How often files and folders were brought to a disk: calls of fsync and fdatasync.
    public static var synchronizationCount: Int { synchronizations.load(ordering: .relaxed) }

    /// How many bytes were written to files.
    public static var byteCount: Int { bytes.load(ordering: .relaxed) }

    static func countSynchronization() { synchronizations.add(1, ordering: .relaxed) }

    static func count(bytes count: Int) { bytes.add(count, ordering: .relaxed) }
}
