import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// The files that a configuration names: whether they exist and can be read, and whether secrets are secret.
struct NamedFiles {
    private let loaded: LoadedConfiguration

    init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// What is wrong, a line each: `waypost.toml:12:1: [[destination]] token_file: /etc/x: there is no such file`.
    var mistakes: [String] {
        loaded.entries.compactMap { entry in
            guard let problem = problem(with: entry) else { return nil }
            let place = entry.origin.map { "\($0.file):\($0.place.line):\($0.place.column): " } ?? ""
            return "\(place)\(entry.section) \(entry.key): \(problem)"
        }
    }

    private func problem(with entry: ConfigurationEntry) -> String? {
        switch "\(entry.section) \(entry.key)" {
        case "[power] hook":
            // A word of the shell is looked for where the service runs.
            guard let program = NamedFiles.text(entry.value)?.split(separator: " ").first, program.first == "/" else { return nil }
            return Syscalls.kind(String(program)) == .missing ? "\(program): there is no such program" : nil
        case "[time] chrony_sock":
            guard let path = NamedFiles.text(entry.value), !path.isEmpty, path.first != "/" else { return nil }
            return "\(path): must be a path from the root on, such as /run/chrony.waypost.sock"
        default:
            guard let path = NamedFiles.path(of: entry), !path.isEmpty else { return nil }
            return problem(path, isSecret: entry.file == .secret)
        }
    }

    /// The file that a value names; nil when it names none.
    private static func path(of entry: ConfigurationEntry) -> String? {
        let name = "\(entry.section) \(entry.key)"
        // A source that was read once is one.
        if name == "[[source]] url" { return text(entry.value).flatMap { try? SourceURL($0) }?.kind.file }  // See above.
        return entry.file == nil ? nil : text(entry.value)
    }

    private func problem(_ path: String, isSecret: Bool) -> String? {
        // What systemd lends is there when the service runs.
        if isSecret, path.hasPrefix("credential:") { return nil }
        guard Syscalls.kind(path) != .missing else {
            let hidden = path.lastIndex(of: "/").map { !Syscalls.isFolder(String(path[...$0])) } ?? false
            return "\(path): there is no such file" + (hidden ? ", or this user may not see it" : "")
        }
        do throws(SystemError) {
            if Syscalls.isFolder(path) {
                // Fences may be in a folder.
                _ = try Syscalls.names(inFolder: path)
            } else if Syscalls.kind(path) == .regular {
                Syscalls.close(try Syscalls.openForReading(path))
            }
        } catch {
            return error.isPermissionDenied ? "\(path): this user may not read it" : error.description
        }
        guard isSecret else { return nil }
        return Syscalls.isOpenToOthers(path) ? "\(path): other users may read or change it; chmod 600 \(path)" : nil
    }

    /// A value of TOML that is a text; its escapes are those of JSON.
    private static func text(_ value: String) -> String? {
        (try? JSONParser().parse(Array(value.utf8)))?.string  // Another kind of value names no file.
    }
}
