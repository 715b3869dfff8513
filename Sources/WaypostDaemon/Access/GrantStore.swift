import Waypost
import WaypostSystem

/// The grants in the state folder, only for the daemon's user.
struct GrantStore: Sendable {
    let path: String

    init(folder: String) {
        path = folder + "/grants"
    }

    /// Why the grants cannot be used, for people.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The grants of earlier runs; none when there is no file.
    func load() throws(Problem) -> [AccessGrant] {
        let text: [UInt8]?
        do throws(SystemError) { text = try Syscalls.contents(of: path, limit: 1 << 20, as: .own) } catch {
            throw Problem(description: "grants \(path): cannot be read: \(error.reason)")
        }
        guard let text else { return [] }
        do throws(GrantList.Damage) { return try GrantList.grants(in: text) } catch {
            throw Problem(description: "grants \(path): is damaged: \(error)")
        }
    }

    /// Writes the grants that have no end; they are on the disk when this returns.
    func save(_ grants: [AccessGrant]) throws(SystemError) {
        try AtomicFile.write(GrantList.text(of: grants), to: path, mode: 0o600)
    }
}
