import Waypost

/// Every kind of destination: a new one is its folder and a line here.
package enum DestinationRegistry {
    /// All kinds, in the order of the reference.
    package static let all: [any DestinationKind.Type] = [
        HTTPKind.self,
        MQTTKind.self,
        OwnTracksKind.self,
        TraccarKind.self,
        TealiumKind.self,
        OverlandKind.self,
        TemplateKind.self,
        HomeAssistantKind.self,
    ]

    /// The kind of that name; nil when there is none.
    package static func kind(named name: String) -> (any DestinationKind.Type)? { all.first { $0.name == name } }

    /// The possible values of `format`.
    static let formats = all.flatMap { $0.formats }.reduce(into: ["auto"]) { words, word in
        if !words.contains(word) { words.append(word) }
    }

    /// The keys that kinds add to those of every destination, each once.
    static let keys = all.flatMap { $0.keys }.reduce(into: [] as [ConfigurationKey<DestinationConfiguration>]) { keys, key in
        if !keys.contains(where: { $0.name == key.name }) { keys.append(key) }
    }
}
