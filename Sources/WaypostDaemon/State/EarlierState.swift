import WaypostSystem

/// The files that earlier versions kept in the state folder itself, where their folder's time told everybody when one was replaced.
///
/// They are moved before anything is read, each by one rename: a start that is killed meanwhile leaves the rest to the next one. What an earlier
/// version has written since, after a step back to it, is the newer; the outbox and the registrations in its way are set aside.
struct EarlierState {
    let folder: String

    private static let outbox = "outbox.sqlite"
    private static let registrations = "registrations"
    private static let names: Set = [
        "addresses", "audit", "audit.1", "baud-rates", "confirmed-time", "destinations", "fence-state", "fences-added.copy",
        "fences-added.geojson", "fences-download", "fences-good.geojson", "fences-known", "grants", "last-position", "page-token",
        "private",
        "privacy-secret", "reduced-position", registrations,
    ]
    /// What belongs to an outbox, beside the file itself.
    private static let suffixes = ["-wal", "-shm", "-journal", "-tally"]

    /// Moves everything; what is not the tracker's stays.
    func move(to kept: String) throws(SystemError) {
        let all = try Syscalls.names(inFolder: folder)
        // The outbox itself comes after what belongs to it: without its log it would be another one.
        let mine = all.filter { EarlierState.isMine($0) && $0 != EarlierState.outbox } + all.filter { $0 == EarlierState.outbox }
        if all.contains(EarlierState.outbox) { try setOutboxAside(in: kept) }
        for name in mine {
            let place = "\(kept)/\(name)"
            if name == EarlierState.registrations, Syscalls.exists(place) { _ = try Syscalls.setAside(place) }
            try Syscalls.rename("\(folder)/\(name)", to: place)
        }
        for name in all where AtomicFile.target(ofTemporary: name).map(EarlierState.isMine) == true {
            _ = try Syscalls.remove("\(folder)/\(name)")
        }
        removeMarkers()
        guard !mine.isEmpty else { return }
        try Syscalls.synchronizeFolder(kept)
        try Syscalls.synchronizeFolder(folder)
    }

    /// Whether the tracker has given a file its name: one that it has set aside counts, too.
    private static func isMine(_ name: String) -> Bool {
        if name.hasPrefix(outbox) { return true }
        guard let end = name.lastIndex(of: "."), name[end...].hasPrefix(".damaged-") else { return names.contains(name) }
        return names.contains(String(name[..<end]))
    }

    /// Sets the outbox aside that another one replaces, under the names of a damaged one; the file itself last.
    private func setOutboxAside(in kept: String) throws(SystemError) {
        let path = "\(kept)/\(EarlierState.outbox)"
        guard Syscalls.exists(path) else { return }
        var number = 1
        while Syscalls.exists("\(path).damaged-\(number)") { number += 1 }
        for suffix in EarlierState.suffixes + [""] where Syscalls.exists(path + suffix) {
            try Syscalls.rename(path + suffix, to: "\(path).damaged-\(number)\(suffix)")
        }
    }

    /// Removes the marks of those who were to be woken: who still is, is marked anew.
    private func removeMarkers() {
        let markers = "\(folder)/wake"
        guard Syscalls.isOwnFolder(markers) else { return }
        let names = (try? Syscalls.names(inFolder: markers)) ?? []  // It is only in the way.
        for name in names where UInt32(name) != nil { _ = try? Syscalls.remove("\(markers)/\(name)") }  // As said.
        Syscalls.removeEmptyFolder(markers)
    }
}
