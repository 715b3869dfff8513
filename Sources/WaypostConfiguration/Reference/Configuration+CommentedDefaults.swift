import Waypost
import WaypostSystem

extension Configuration {
    /// A configuration file with every key, its explanation, and its default as a comment: `Config/waypost.toml`.
    ///
    /// - Parameter paths: The default paths that it shows.
    package static func commentedDefaults(paths: DefaultPaths = .service) -> String {
        let defaults = Configuration(paths: paths)
        var lines = [
            "# The configuration of waypost, with every key and its default. Remove the '#' before a key and its [section] to change it.",
            "#",
            "# Files conf.d/*.toml beside this one are read after it, in the order of their names; a later value replaces an earlier one.",
            "# Durations are seconds unless the value has a unit. Paths are absolute, or start at the program's working folder.",
            "# Check with: waypost config check",
        ]
        for section in sections {
            lines.append("")
            lines += section.documentation.split(separator: "\n").map { "# \($0)" }
            for (occurrence, values) in section.written(defaults).enumerated() {
                lines.append("#\(section.header)")
                for (key, value) in zip(section.keys, values) {
                    // Each key is explained once.
                    if occurrence == 0 {
                        lines.append("")
                        lines.append("# \(key.documentation)")
                        if let unit = key.unit { lines.append("# \(unitWords(unit))") }
                    }
                    lines.append("#\(key.name) = \(value)")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
