import Waypost
import WaypostDispatch
import WaypostPositioning

extension LoadedConfiguration {
    /// The keys that a file sets and nothing uses, one line each: `w.toml:6:1: [[destination]] topic: kind "traccar" does not use it`.
    ///
    /// They are not mistakes: the tracker runs with them. Often they were intended for another section or another kind.
    package var unusedKeys: [String] { unusedKeys(after: []) }

    /// The same for a configuration with mistakes: without those whose kind may be what a mistake left unread.
    package func unusedKeys(after mistakes: [ConfigurationError]) -> [String] {
        let unsure = Set(mistakes.compactMap { $0.kind.sectionOfUnreadKind })
        return entries.compactMap { entry in
            guard !unsure.contains(entry.section), let origin = entry.origin, let reason = reason(entry) else { return nil }
            return "\(origin.file):\(origin.place.line):\(origin.place.column): \(entry.section) \(entry.key): \(reason)"
        }
    }

    /// Why nothing uses a key at its place; nil when something does.
    private func reason(_ entry: EffectiveKey) -> String? {
        switch entry.section {
        case "[[destination]]" where entry.occurrence < configuration.destinations.count:
            configuration.destinations[entry.occurrence].reasonNotToUse(entry.key)
        case "[[source]]" where entry.occurrence < configuration.sources.count:
            configuration.sources[entry.occurrence].reasonNotToUse(entry.key)
        default: nil
        }
    }
}

extension Configuration.Source {
    fileprivate func reasonNotToUse(_ key: String) -> String? {
        let users = SourceRegistry.all.filter { $0.keys.contains(key) }
        // A baud that does not fit is a mistake, which is already reported.
        if users.isEmpty || type(of: url.kind).keys.contains(key) || key == "baud" { return nil }
        return "is for \(users.map { "\($0.scheme):" }.joined(separator: ", ")) alone"
    }
}
