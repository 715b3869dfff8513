import CProcess
import Glibc

/// What a program that was started has left behind, also in sessions of its own: a group of processes is easily left, its ancestry is not.
///
/// They get SIGTERM, and SIGKILL after ``ShellCommand/graceMilliseconds``.
/// - Concurrency: for a process that starts one program after the other, on one thread that may block, and has no other children then.
package enum StrayProcesses {
    /// The variable in the environment of a program by which what it has started is found after its starter was killed.
    package static let mark = "WAYPOST_RUN"

    /// How long is waited for those that the kernel keeps from ending, after SIGKILL, in milliseconds.
    private static let patienceMilliseconds: Int64 = 5_000

    /// From now on what loses its parent, as a daemon does, becomes a child of this process, and is found by ``endDescendants()``.
    package static func adoptOrphans() { _ = cprocess_adopt_orphans() }

    /// Ends all that this process has started, and what that has started.
    ///
    /// - Cost: looks at every process of the system, twice when there is nothing to end: some ten milliseconds.
    package static func endDescendants() { end(descendants) }

    /// Ends the processes that have a mark of ``mark`` in their environment, of this user, or of all for root.
    ///
    /// - Cost: as ``endDescendants()``.
    package static func end(markedWith text: String) {
        let entry = Array("\(mark)=\(text)".utf8)
        end { processes { has($0, entry) } }
    }

    private static func end(_ find: () -> [Int32]) {
        let deadline = MonotonicClock.milliseconds + ShellCommand.graceMilliseconds
        var told: Set<Int32> = []
        // Twice none: one that ends may have left another behind while it was looked for.
        var quietCount = 0
        while quietCount < 2 {
            reap()
            let found = find()
            quietCount = found.isEmpty ? quietCount + 1 : 0
            let now = MonotonicClock.milliseconds
            guard now < deadline + patienceMilliseconds else { return }
            for process in found {
                if now >= deadline {
                    kill(process, SIGKILL)
                } else if told.insert(process).inserted {
                    kill(process, SIGTERM)
                    kill(process, SIGCONT)
                }
            }
            if !found.isEmpty { MonotonicClock.wait(milliseconds: 10) }
        }
    }

    /// Takes note of the children that have ended.
    private static func reap() {
        var status: Int32 = 0
        while waitpid(-1, &status, WNOHANG) > 0 {}
    }

    /// The running processes below this one.
    private static func descendants() -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for process in processes(where: { _ in true }) {
            if let parent = parent(of: process) { children[parent, default: []].append(process) }
        }
        var found: [Int32] = []
        var parents = [getpid()]
        while let parent = parents.popLast() {
            let next = children.removeValue(forKey: parent) ?? []
            found += next
            parents += next
        }
        return found
    }

    private static func processes(where isWanted: (Int32) -> Bool) -> [Int32] {
        let names = (try? Syscalls.names(inFolder: "/proc")) ?? []  // Without /proc nothing is known.
        return names.compactMap(Int32.init).filter { $0 != getpid() && isWanted($0) }
    }

    /// A process's parent; nil when it has ended.
    private static func parent(of process: Int32) -> Int32? {
        // `4711 (name) S 1 ...`; the name may have any characters.
        guard let line = (try? Syscalls.contents(of: "/proc/\(process)/stat")) ?? nil,  // It may have ended in the meantime.
            let end = line.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, fields[0].first != UInt8(ascii: "Z") else { return nil }
        return Int32(String(decoding: fields[1], as: UTF8.self))
    }

    /// Whether a process began with a line in its environment.
    private static func has(_ process: Int32, _ entry: [UInt8]) -> Bool {
        let text = (try? Syscalls.contents(of: "/proc/\(process)/environ", limit: 4 << 20)) ?? nil  // Somebody else's, or ended.
        return text?.split(separator: 0).contains { $0.elementsEqual(entry) } == true
    }
}
