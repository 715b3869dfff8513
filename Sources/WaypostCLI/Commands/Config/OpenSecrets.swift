import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

/// Passwords and tokens that go to another machine unencrypted.
struct OpenSecrets {
    private let loaded: LoadedConfiguration

    init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// The remarks, one line each.
    var remarks: [String] {
        loaded.entries.compactMap { entry in
            guard entry.section == "[[destination]]", ["password_file", "token_file"].contains(entry.key), let origin = entry.origin,
                loaded.configuration.destinations.indices.contains(entry.occurrence),
                let words = OpenSecrets.words(for: loaded.configuration.destinations[entry.occurrence])
            else { return nil }
            return "\(origin.file):\(origin.place.line):\(origin.place.column): \(entry.section) \(entry.key): \(words)"
        }
    }

    /// What is wrong with sending a secret to a server; nil where it is encrypted, or stays on this machine.
    static func words(for destination: DestinationConfiguration) -> String? {
        let url = destination.url.lowercased()
        guard let scheme = ["http", "mqtt"].first(where: { url.hasPrefix($0 + "://") }), !LoopbackHost.contains(destination.host) else {
            return nil
        }
        let secret = destination.user.isEmpty ? "token" : "password"
        return "the \(secret) goes over the network unencrypted; write \(scheme)s:// if the server has it"
    }
}
