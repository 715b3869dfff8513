import Waypost
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

/// The answers to the questions of `waypost setup`.
package struct SetupAnswers: Equatable, Sendable {
    /// Where positions come from, best first; none = as other files say.
    package var sources: [Configuration.Source] = []
    /// Where positions and events are sent; none = as other files say.
    package var destinations: [DestinationConfiguration] = []
    /// The units for display.
    package var units = UnitSystem.metric
    /// The places around which no position is shared; none = as other files say.
    package var zones: [PrivacyZone] = []
    /// The fence file; nil = as other files say.
    package var fences: String?

    /// The name of the file with the answers, in the folder `conf.d`.
    package static let fileName = "50-setup.toml"

    /// Answers that leave everything out.
    package init() {}

    /// The answers in the file of an earlier run; what it leaves out is as in `others`.
    ///
    /// - Parameters:
    ///   - file: the file by itself.
    ///   - others: the configuration without it.
    package init(_ file: LoadedConfiguration?, others: LoadedConfiguration) {
        units = others.configuration.display.units
        guard let file else { return }
        let isSaid = { (section: String) in file.origins.keys.contains { $0.hasPrefix(section) } }
        if isSaid("[[source]]") { sources = file.configuration.sources }
        destinations = SetupAnswers.servers(of: file)
        if isSaid("[display] units") { units = file.configuration.display.units }
        zones = file.configuration.privacy.zones
        fences = file.configuration.geofences.file
    }

    /// The text of the file, with comments.
    ///
    /// - Parameters:
    ///   - command: the command that writes it again: `sudo waypost setup`.
    ///   - made: the files of secrets that setup has made, now or earlier; they are removed with it when the package is purged.
    package func text(command: String, made: [String] = []) -> String {
        var configuration = Configuration(paths: .service)
        configuration.sources = sources
        configuration.destinations = destinations
        configuration.display.units = units
        configuration.privacy.zones = zones
        configuration.geofences.file = fences
        var lines = [
            "# The answers of waypost setup. This replaces them: \(command)", "# Settings of your own go into another file of this folder.",
        ]
        lines += made.map { SetupAnswers.madeMark + $0 }
        func answer(_ said: String, unsaid: String, _ section: String, _ keys: [String]? = nil) {
            let blocks = Configuration.lines(of: section, keys, in: configuration)
            lines += ["", blocks.isEmpty ? "# \(unsaid)" : "# \(said)"] + blocks
        }
        answer(
            "1. Where positions come from: the first is preferred, the others are fallbacks.",
            unsaid:
                "1. No receiver is named here: the tracker tries gpsd, then known receivers (serial:auto), unless another file names one.",
            "source")
        answer("2. Where positions and events are sent: waypost dispatch shows it.", unsaid: "2. No server is named here.", "destination")
        answer("3. How quantities are shown.", unsaid: "3. No units.", "display", ["units"])
        answer(
            "4. Home: around it nothing is logged, sent or shared.", unsaid: "4. No home.", "privacy",
            zones.isEmpty ? [] : ["zones"])
        answer(
            "5. Fences: waypost fences list shows them.", unsaid: "5. No fence file.", "geofences",
            fences == nil ? [] : ["file"]
        )
        return lines.joined(separator: "\n") + "\n"
    }

    /// The servers that files name; none where they name none, although there is one by default.
    private static func servers(of loaded: LoadedConfiguration?) -> [DestinationConfiguration] {
        guard let loaded, loaded.origins.keys.contains(where: { $0.hasPrefix("[[destination]]") }) else { return [] }
        return loaded.configuration.destinations
    }

    /// What may wait for servers that the configuration no longer names, one sentence each.
    ///
    /// - Parameters:
    ///   - file: the file of an earlier run by itself.
    ///   - now: the servers of the answers.
    ///   - whole: the configuration with the answers.
    package static func leftBehind(
        _ file: LoadedConfiguration?, _ now: [DestinationConfiguration], whole: LoadedConfiguration
    ) -> [String] {
        let (former, named) = (servers(of: file), servers(of: whole))
        return former.filter { before in !named.contains { $0.name == before.name } }.map { before in
            let heir = now.first { server in server.kindName == before.kindName && !former.contains { $0.name == server.name } }
            let way = heir.map { "waypost dispatch move \(shellWord(before.name)) \(shellWord($0.name)) sends it to \($0.url)" }
            return """
                \(before.name): what may wait for \(before.url) stays in the queue; \
                \(way ?? "waypost dispatch discard \(shellWord(before.name)) deletes it")
                """
        }
    }

    /// What somebody has added to the file of an earlier run, and the answers do not keep, one sentence each.
    package static func losses(_ file: LoadedConfiguration) -> [String] {
        let kept = ["[display] units", "[privacy] zones", "[geofences] file"]
        let lost = file.origins.filter { key, _ in !key.hasPrefix("[[") && !kept.contains(key) }
        return lost.sorted { ($0.value.place, $0.key) < ($1.value.place, $1.key) }.map { key, origin in
            "\(key) in \(origin.file):\(origin.place.line) is no answer of setup, and is lost when the file is written; move it to another file of that folder first"
        }
    }

    /// The mark before the path of a file that setup has made.
    private static let madeMark = "# waypost setup made "

    /// The files of secrets that setup had made when it wrote these answers.
    package static func made(in bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(madeMark) }
            .map { String($0.dropFirst(madeMark.count)) }
    }

    /// What the answers replace of other files, and what others replace of them, one sentence each.
    ///
    /// - Parameters:
    ///   - file: the file of the answers by itself.
    ///   - others: the configuration without it.
    ///   - whole: the configuration with it.
    package static func remarks(_ file: LoadedConfiguration, others: LoadedConfiguration, whole: LoadedConfiguration) -> [String] {
        let path = file.files.joined()
        let keys = ["[[source]] url", "[display] units", "[geofences] file"]
        return namedRemarks(file, others: others, whole: whole)
            + keys.compactMap { key in
                guard file.origins[key] != nil, let before = others.origins[key], let now = whole.origins[key] else { return nil }
                // One file's sources replace another's as a whole.
                let name = key.hasPrefix("[[") ? String(key.prefix { $0 != " " }) : key
                let values = { (loaded: LoadedConfiguration) in loaded.entries.filter { $0.section + " " + $0.key == key }.map(\.value) }
                if values(file) == values(others) { return nil }
                return now.file == path
                    ? "\(name) is taken from \(path), no longer from \(before.file):\(before.place.line)"
                    : "\(name) is taken from \(now.file):\(now.place.line), not from \(path); to change that, remove it there"
            }
    }

    /// Remarks about destinations and zones that another file has under the same name.
    private static func namedRemarks(
        _ file: LoadedConfiguration, others: LoadedConfiguration, whole: LoadedConfiguration
    ) -> [String] {
        func remarks<Element: Equatable>(
            _ header: String, _ elements: (Configuration) -> [Element], _ nameOf: KeyPath<Element, String>,
            _ origin: (LoadedConfiguration, String) -> ConfigurationOrigin?
        ) -> [String] {
            let path = file.files.joined()
            return elements(file.configuration).compactMap { element in
                let name = element[keyPath: nameOf]
                // A file without destinations has the usual one, which it does not write.
                guard origin(file, name) != nil, let other = elements(others.configuration).first(where: { $0[keyPath: nameOf] == name }),
                    other != element,
                    let before = origin(others, name), let now = origin(whole, name)
                else { return nil }
                let what = "\(header) \(quoted(name))"
                let advice = "to keep both, change the name in \(before.file)"
                return now.file == path
                    ? "\(what) is taken from \(path), no longer from \(before.file):\(before.place.line); \(advice)"
                    : "\(what) is taken from \(now.file):\(now.place.line), not from \(path); \(advice)"
            }
        }
        return remarks("[[destination]]", \.destinations, \.name) { $0.origin(ofDestination: $1) }
            + remarks("[privacy] zone", \.privacy.zones, \.name) { $0.listOrigins[LoadedConfiguration.elementKey("[privacy] zones", $1)] }
    }
}

extension LoadedConfiguration {
    /// Where the destination of that name is defined.
    fileprivate func origin(ofDestination name: String) -> ConfigurationOrigin? {
        guard let number = configuration.destinations.firstIndex(where: { $0.name == name }) else { return nil }
        return listOrigins["[[destination]] \(number) url"]
    }
}

extension Configuration {
    /// The lines of a section in a file: keys that differ from the defaults, and required ones.
    ///
    /// - Parameter keys: only these keys, whatever their values; nil = all that differ.
    fileprivate static func lines(of name: String, _ keys: [String]?, in configuration: Configuration) -> [String] {
        guard let section = sections.first(where: { $0.name == name }) else { return [] }
        var plain = Configuration(paths: .service)
        plain.sources = [Source(url: SourceURL(GPSDKind()))]
        let defaults = section.written(plain)[0]
        return section.written(configuration).enumerated().flatMap { index, values in
            let said = zip(section.keys, zip(values, defaults)).filter { key, values in
                if let keys { return keys.contains(key.name) }
                return values.0 != values.1 || ["name", "kind", "url"].contains(key.name)
            }
            if said.isEmpty { return [] as [String] }
            return (index > 0 ? [""] : []) + [section.header] + said.map { "\($0.name) = \($1.0)" }
        }
    }
}
