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
