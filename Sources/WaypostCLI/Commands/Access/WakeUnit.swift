import WaypostSystem

/// A unit of systemd that is started for a registration, as far as files tell of it: systemd itself may have no door for this process.
struct WakeUnit {
    /// Its name, such as `photo.service`.
    let name: String
    /// The user whose systemd starts it; nil for the system's, which starts those of root.
    let user: String?
    /// The user's home, and the folders that the environment names in its place.
    let environment: [String: String]
    /// Where the files are.
    let tree: SystemTree

    /// What keeps a program from being started, and the command that helps, a sentence each; none for one that is no unit.
    static func notes(on program: WakeProgram) -> [String] {
        guard case .unit(let name) = program.kind else { return [] }
        let identity = ProcessIdentity.current()
        let user = identity.userID == 0 ? nil : identity.userName ?? "\(identity.userID)"
        return WakeUnit(name: name, user: user, environment: identity.environment, tree: SystemTree(root: "")).notes
    }

    /// What keeps it from being started, and the command that helps, a sentence each.
    var notes: [String] {
        let systemctl = user == nil ? "systemctl" : "systemctl --user"
        var notes: [String] = []
        if let place = places.first(where: tree.exists) {
            if tree.linkTarget(place) == "/dev/null" {
                notes.append("\(name) is masked, so that nothing can start it: \(systemctl) unmask \(name)")
            }
        } else {
            notes.append("there is no unit \(name) yet: write \(newFile), then \(systemctl) daemon-reload")
        }
        if let user, !tree.exists("/var/lib/systemd/linger/\(user)") {
            notes.append("units of \(user) are started only while \(user) is logged in; for all times: loginctl enable-linger")
        }
        return notes
    }

    /// Where a user or administrator puts its file.
    private var newFile: String { user == nil ? "/etc/systemd/system/\(file)" : "~/.config/systemd/user/\(file)" }

    /// The name of its file: one with an instance is made from a template.
    private var file: String {
        guard let at = name.firstIndex(of: "@"), let dot = name.lastIndex(of: "."), at < dot else { return name }
        return "\(name[...at])\(name[dot...])"
    }

    /// Where systemd looks for its file (systemd.unit(5)).
    private var places: [String] {
        let names = file == name ? [name] : [name, file]
        return folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    }

    private var folders: [String] {
        let made = ["transient", "generator.early", "generator", "generator.late"]
        guard user != nil else {
            return ["/etc/systemd/system", "/run/systemd/system"] + made.map { "/run/systemd/\($0)" }
                + ["/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
        }
        let home = environment["HOME"] ?? ""
        let own = [environment["XDG_CONFIG_HOME"] ?? home + "/.config", environment["XDG_DATA_HOME"] ?? home + "/.local/share"]
        let runtime = environment["XDG_RUNTIME_DIR"].map { folder in (["user"] + made).map { "\(folder)/systemd/\($0)" } } ?? []
        return own.map { $0 + "/systemd/user" } + runtime
            + ["/etc", "/run", "/usr/local/share", "/usr/share", "/usr/local/lib", "/usr/lib"].map { $0 + "/systemd/user" }
    }
}
