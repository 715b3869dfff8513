import Synchronization

/// Disk work of this process: how often it waited for a disk, and how many bytes of files it wrote.
///
/// Both wear out flash.
public enum DiskWork {
    private static let synchronizations = Atomic(0)
    private static let bytes = Atomic(0)

    /// How often files and folders were synced to a disk: calls of fsync and fdatasync.
    public static var synchronizationCount: Int { synchronizations.load(ordering: .relaxed) }

    /// How many bytes were written to files.
    public static var byteCount: Int { bytes.load(ordering: .relaxed) }

    static func countSynchronization() { synchronizations.add(1, ordering: .relaxed) }

    static func count(bytes count: Int) { bytes.add(count, ordering: .relaxed) }
}
