/// Why the tracker last ended by itself, in its state folder: what the doctor tells where nobody has kept the journal.
///
/// The message, as it was printed, one line each; only for the daemon's user. It is about a tracker that does not run: one that runs and holds has removed it.
package struct LastFailure: Sendable {
    private let path: String

    /// The one of the tracker with that state folder.
    package init(stateFolder: String) { path = DefaultPaths.kept(inState: stateFolder) + "/last-failure" }

    /// Remembers why the tracker ends; it is on the disk when this returns.
    ///
    /// - Cost: none when it ends for the same reason again and again.
    package func note(_ lines: [String]) throws(SystemError) {
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        if let old = try Syscalls.contents(of: path, as: .own), old == bytes { return }
        try AtomicFile.write(bytes, to: path, mode: 0o600)
    }

    /// Forgets it.
    package func forget() throws(SystemError) { _ = try Syscalls.remove(path) }

    /// The first line of it in a system; nil when there is none, or when this user may not read it.
    package func evidence(in tree: SystemTree) -> Evidence? { tree.firstLine(of: path).flatMap { $0.text.isEmpty ? nil : $0 } }
}
