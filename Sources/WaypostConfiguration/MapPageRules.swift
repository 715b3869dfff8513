import Waypost
import WaypostSystem

extension LoadedConfiguration {
    /// A map page that the whole network would reach, unless that is wanted in so many words.
    var mistakesOfMapPage: [ConfigurationError] {
        guard let address = configuration.map.listen, !address.isLoopback, !configuration.map.isInsecureInLAN,
            let origin = origins["[map] listen"]
        else { return [] }
        let reason = """
            \(address) is reached from the network, where everybody on the way can read the token and the position; write \
            "127.0.0.1:\(address.port)" and put a proxy with TLS in front of it, or insecure_lan = true
            """
        return [
            ConfigurationError(file: origin.file, place: origin.place, kind: .invalidValue(section: "[map]", key: "listen", reason: reason))
        ]
    }
}
