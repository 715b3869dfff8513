import Synchronization
import WaypostSystem

/// The state folder, which is this process's alone; one that is removed and made anew while it tracks is taken again.
final class StateFolder: Sendable {
    /// What is at its place.
    enum Holding: Equatable {
        /// The folder that was taken, as it was.
        case kept
        /// Another one, which has just been taken.
        case takenAgain
        /// Another one, which another process has: its number, if it says that.
        case held(by: Int32?)
        /// None that can be taken.
        case gone
    }

    let path: String
    private let lock: Mutex<FileLock>

    /// Takes a folder, which is made when it is missing.
    init(taking path: String) throws(DaemonFailure) {
        let attempt: FileLock.Attempt
        do throws(SystemError) {
            try Syscalls.createFolders(path)
            attempt = try FileLock.acquire(path: StateFolder.lockPath(path))
        } catch {
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

    /// Looks what is at its place, and takes it when nobody has it.
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
