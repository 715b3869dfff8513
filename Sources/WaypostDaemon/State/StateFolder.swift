import Synchronization
import WaypostSystem

/// The state folder, which this process locks; one that is removed and created anew while it tracks is locked again.
///
/// The files are in a folder of its own in it, ``kept``.
final class StateFolder: Sendable {
    /// What is at the folder's path.
    enum Holding: Equatable {
        /// The locked folder, as before.
        case kept
        /// Another folder, which has just been locked.
        case takenAgain
        /// Another folder, which another process has locked: its number, if known.
        case held(by: Int32?)
        /// No folder that can be locked.
        case gone
    }

    let path: String
    /// The folder of the files.
    let kept: String
    private let lock: Mutex<FileLock>
    private let identity: Mutex<FileIdentity?>

    /// Locks a folder, which is created when it is missing; the files that an earlier version has left in it go to their folder.
    init(taking path: String) throws(DaemonFailure) {
        let attempt: FileLock.Attempt
        do throws(SystemError) {
            try Syscalls.createFolders(path)
            attempt = try FileLock.acquire(path: StateFolder.lockPath(path))
        } catch {
            if error.isOddFile { throw DaemonFailure(.cannotCreate, "\(error.path ?? path): \(error.reason)") }
            throw DaemonFailure(
                .cannotCreate, "\(path): cannot be used for the state: \(error.reason); make it writable or use another --state")
        }
        switch consume attempt {
        case .taken(let lock): self.lock = Mutex(lock)
        case .held(let holder):
            throw DaemonFailure(
                .cannotCreate, "\(path): \(StateFolder.name(holder)) tracks with it already; stop it or use another --state")
        }
        self.path = path
        kept = DefaultPaths.kept(inState: path)
        do throws(SystemError) {
            try StateFolder.makeKept(in: path)
            try EarlierState(folder: path).move(to: kept)
            // Nobody else writes here: these are of trackers that were killed, and have what is removed elsewhere when it must be forgotten.
            for name in try Syscalls.names(inFolder: kept) where AtomicFile.target(ofTemporary: name) != nil {
                _ = try? Syscalls.remove("\(kept)/\(name)")  // The next start tries again.
            }
        } catch {
            throw DaemonFailure(.cannotCreate, "\(error.path ?? path): cannot be used for the state: \(error.reason)")
        }
        identity = Mutex(FileIdentity(of: kept))
    }

    private static func makeKept(in path: String) throws(SystemError) {
        let outer = "\(path)/\(DefaultPaths.keptName)"
        try Syscalls.createShutFolder(outer, in: path)
        try Syscalls.createShutFolder(DefaultPaths.kept(inState: path), in: outer)
    }

    /// Whether the locked folder and the one of the files are still in their places.
    var isKept: Bool {
        lock.withLock { $0.isNamed(StateFolder.lockPath(path)) } && identity.withLock { $0 != nil && $0 == FileIdentity(of: kept) }
    }

    /// Checks what is at the folder's path, and locks it when it is free.
    func look() -> Holding {
        let path = path
        return lock.withLock { lock in
            if lock.isNamed(StateFolder.lockPath(path)) { return lookInside() }
            guard Syscalls.kind(path) == .folder else { return .gone }
            do throws(SystemError) {
                switch try FileLock.acquire(path: StateFolder.lockPath(path)) {
                case .taken(let new):
                    lock = new
                    _ = lookInside()
                    return .takenAgain
                case .held(let holder): return .held(by: holder)
                }
            } catch {
                return .gone
            }
        }
    }

    /// Checks the folder of the files, which is made again when it is missing.
    private func lookInside() -> Holding {
        identity.withLock { identity in
            if let identity, FileIdentity(of: kept) == identity { return .kept }
            do throws(SystemError) { try StateFolder.makeKept(in: path) } catch { return .gone }
            identity = FileIdentity(of: kept)
            return .takenAgain
        }
    }

    /// A process, for people.
    static func name(_ holder: Int32?) -> String { holder.map { "process \($0)" } ?? "another process" }

    private static func lockPath(_ folder: String) -> String { folder + "/.lock" }
}
