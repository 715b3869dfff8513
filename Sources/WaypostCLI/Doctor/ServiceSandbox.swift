import WaypostSystem

/// The folders that the service's unit lets it write to: `ProtectSystem=strict` makes everything else read-only for it.
struct ServiceSandbox {
    private let folders: [String]
    /// The line that makes the rest read-only.
    let evidence: Evidence

    /// The sandbox of the installed unit and its drop-ins; nil where there is none.
    init?(_ facts: SystemFacts) {
        guard facts.unitPath != nil else { return nil }
        let lines = SystemFacts.unitLines(in: facts.tree)
        guard let evidence = lines.last(where: { $0.text.hasPrefix("ProtectSystem=") }), evidence.text.hasSuffix("=strict") else {
            return nil
        }
        self.evidence = evidence
        folders =
            ["/var/log/waypost", "/var/lib/waypost"]
            + lines.filter { $0.text.hasPrefix("ReadWritePaths=") }.flatMap { line in
                line.text.dropFirst("ReadWritePaths=".count).split(separator: " ").map { String($0.drop { "-+".contains($0) }) }
            }
    }

    /// The folder for temporary files that a path is in, if the service has one of its own in that place; nil for any other path.
    ///
    /// - Source: systemd.exec(5), `PrivateTmp=`.
    static func privateFolder(of path: String, in tree: SystemTree) -> String? {
        guard let folder = ["/tmp", "/var/tmp"].first(where: { path.hasPrefix($0 + "/") }),
            let line = SystemFacts.unitLines(in: tree).last(where: { $0.text.hasPrefix("PrivateTmp=") })
        else { return nil }
        return ["no", "false", "off", "0"].contains(line.text.dropFirst("PrivateTmp=".count)) ? nil : folder
    }

    /// Whether the service may write in a folder.
    func allows(_ folder: String) -> Bool { folders.contains { isBelow(folder, $0) } }

    /// The commands that allow it to write in a folder.
    static func allowingCommands(_ folder: String) -> [String] {
        [
            "sudo mkdir -p /etc/systemd/system/waypostd.service.d",
            #"printf '[Service]\nReadWritePaths=%s\n' \#(folder) | sudo tee /etc/systemd/system/waypostd.service.d/log.conf"#,
            "sudo systemctl daemon-reload",
        ]
    }
}
