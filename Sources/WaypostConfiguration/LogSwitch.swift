import Waypost
import WaypostDispatch

extension Configuration.Log {
    /// Whether nothing is logged: `types = []`.
    package var isOff: Bool { types.isEmpty }
}

extension LoadedConfiguration {
    /// Destinations that need positions while the log is off.
    var mistakesOfLogSwitch: [ConfigurationError] {
        guard configuration.log.isOff, let origin = origins["[log] types"] else { return [] }
        let names = configuration.destinations.filter { $0.isInUse && $0.isSentPositions }.map { quoted($0.name) }
        guard !names.isEmpty else { return [] }
        let reason = """
            is [], which switches the log off, and positions for \(names.joined(separator: ", ")) come from the log; write \
            positions = false in [[destination]], which then gets events alone, or types = ["raw"]
            """
        return [
            ConfigurationError(file: origin.file, place: origin.place, kind: .invalidValue(section: "[log]", key: "types", reason: reason))
        ]
    }
}
