import Waypost
import WaypostConfiguration
import WaypostSystem

/// Settings that are valid, but may not be what is meant: a user who writes `interval = 0.5` may think of minutes.
struct SettingRemarks {
    private let loaded: LoadedConfiguration

    init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// The remarks, one line each.
    var remarks: [String] { secondsForMinutes + loaded.entries.compactMap(remarkOnLimit) + relativeFolder + openDoors + roadless }

    /// The service starts in another folder than the user who writes the file.
    private var relativeFolder: [String] {
        let folder = loaded.configuration.log.directory
        guard let origin = loaded.origins["[log] directory"], !folder.hasPrefix("/") else { return [] }
        let place = "\(origin.file):\(origin.place.line):\(origin.place.column)"
        return [
            "\(place): [log] directory: \(quoted(folder)) depends on where the tracker starts (the service: in /); write the whole path"
        ]
    }

    /// What asks for roads where no road file is named.
    private var roadless: [String] {
        guard let key = SettingRemarks.withoutRoads(loaded.configuration), let origin = loaded.origins[key] else { return [] }
        return [
            """
            \(origin.file):\(origin.place.line):\(origin.place.column): \(key): needs a road file, [matching] roads; waypost roads build \
            makes one of an extract of OpenStreetMap
            """
        ]
    }

    /// The key that asks for roads while no road file is named; nil when none does.
    static func withoutRoads(_ configuration: Configuration) -> String? {
        guard configuration.matching.roads == nil else { return nil }
        if configuration.matching.isEnabled { return "[matching] enabled" }
        return configuration.log.types.contains(.matched) ? "[log] types" : nil
    }

    /// Whoever reaches an address reads there.
    private var openDoors: [String] {
        loaded.configuration.share.addresses.compactMap { key, address in
            guard !address.isLoopback, let origin = loaded.origins["[share] \(key)"] else { return nil }
            return """
                \(origin.file):\(origin.place.line):\(origin.place.column): [share] \(key): everybody in \(address.networkWords) may \
                read the position; for this machine alone write "127.0.0.1:\(address.port)"
                """
        }
    }

    /// A limit whose number people mean in a larger unit, because what is beyond it is deleted.
    private struct Limit {
        let unit: String
        /// A number from here on is meant as it is.
        let enough: Double
        /// What happens, for people.
        let consequence: String
        let meant: String
        let name: String

        static func days(_ consequence: String) -> Limit {
            Limit(unit: "seconds", enough: 86_400, consequence: consequence, meant: "d", name: "days")
        }

        static func megabytes(_ consequence: String) -> Limit {
            Limit(unit: "bytes", enough: 1_000_000, consequence: consequence, meant: "MB", name: "megabytes")
        }
    }

    private static let limits: [String: Limit] = [
        "[log] max_age": .days("every older track is deleted"),
        "[dispatch] max_age": .days("every event that waits longer is dropped"),
        "[log] max_bytes": .megabytes("tracks beyond that are deleted"),
        "[dispatch] max_bytes": .megabytes("events beyond that are dropped"),
        "[log] rotate_bytes": .megabytes("a new track begins after that many"),
        "[log] min_free": .megabytes("tracks are deleted only when less is free"),
    ]

    private func remarkOnLimit(_ entry: EffectiveKey) -> String? {
        // With or without quotes; a unit makes it clear.
        guard let limit = SettingRemarks.limits["\(entry.section) \(entry.key)"], let origin = entry.origin,
            let written = line(origin)?.firstMatch(of: #/=\s*["']?\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*["']?\s*(?:#|$)/#)?.1,
            let count = Double(written.filter { $0 != "_" }), count > 0, count < limit.enough
        else { return nil }
        let number = count == count.rounded() ? "\(Int(count))" : "\(count)"
        let place = "\(origin.file):\(origin.place.line):\(origin.place.column)"
        return """
            \(place): \(entry.section) \(entry.key): \(number) is in \(limit.unit), and \(limit.consequence); \
            write "\(number) \(limit.meant)" if \(limit.name) are meant
            """
    }

    private var secondsForMinutes: [String] {
        loaded.entries.compactMap { entry in
            // A unit makes it clear.
            guard let origin = entry.origin, let value = entry.value.wholeMatch(of: #/"([0-9]+) ms"/#)?.1,
                let line = line(origin), line.contains(#/=\s*0*\.[0-9]+/#)
            else { return nil }
            let place = "\(origin.file):\(origin.place.line):\(origin.place.column)"
            return "\(place): \(entry.section) \(entry.key): a number without a unit is in seconds; write \"\(value) ms\" if that is meant"
        }
    }

    private func line(_ origin: ConfigurationOrigin) -> String? {
        guard let bytes = try? Syscalls.contents(of: origin.file) else { return nil }  // It was just read; otherwise there is no remark.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(origin.place.line - 1) else { return nil }
        return String(decoding: lines[origin.place.line - 1], as: UTF8.self)
    }
}
