import Waypost
import WaypostConfiguration
import WaypostSystem

/// Numbers below 1 where seconds are meant: who writes `interval = 0.5` may think of minutes.
struct ShortDurations {
    private let loaded: LoadedConfiguration

    init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// A line for people each.
    var remarks: [String] {
        loaded.entries.compactMap { entry in
            // With a unit it is meant.
            guard let origin = entry.origin, let value = entry.value.wholeMatch(of: #/"([0-9]+) ms"/#)?.1,
                let line = line(origin), line.contains(#/=\s*0*\.[0-9]+/#)
            else { return nil }
            let place = "\(origin.file):\(origin.place.line):\(origin.place.column)"
            return "\(place): \(entry.section) \(entry.key): a number without a unit is in seconds; write \"\(value) ms\" if that is meant"
        }
    }

    private func line(_ origin: ConfigurationOrigin) -> String? {
        guard let bytes = try? Syscalls.contents(of: origin.file) else { return nil }  // It was read a moment ago; else nothing is said.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(origin.place.line - 1) else { return nil }
        return String(decoding: lines[origin.place.line - 1], as: UTF8.self)
    }
}
