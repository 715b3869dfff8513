import Synchronization
import WaypostSystem

/// The state folder, which this process locks; one that is removed and created anew while it tracks is locked again.
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
    private let lock: Mutex<FileLock>

    /// Locks a folder, which is created when it is missing.
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
    }

    /// Checks what is at the folder's path, and locks it when it is free.
    func look() -> Holding {
        let path = path
        return lock.withLock { lock in
            if lock.isNamed(StateFolder.lockPath(path)) { return .kept }
            guard Syscalls.kind(path) == .folder else { return .gone }
            do throws(SystemError) {
                switch try FileLock.acquire(path: StateFolder.lockPath(path)) {
                case .taken(let new):
                    lock = new
                    return .takenAgain
                case .held(let holder): return .held(by: holder)
                }
            } catch {
                return .gone
            }
        }
    }

    /// A process, for people.
    static func name(_ holder: Int32?) -> String { holder.map { "process \($0)" } ?? "another process" }

    private static func lockPath(_ folder: String) -> String { folder + "/.lock" }
}
