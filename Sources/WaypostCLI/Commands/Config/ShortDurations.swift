import Waypost
import WaypostConfiguration
import WaypostSystem

/// Numbers in seconds that may be meant in another unit: a user who writes `interval = 0.5` may think of minutes.
struct ShortDurations {
    private let loaded: LoadedConfiguration

    init(_ loaded: LoadedConfiguration) {
        self.loaded = loaded
    }

    /// The remarks, one line each.
    var remarks: [String] { secondsForMinutes + secondsForDays }

    /// Tracks and queued events are kept for days: a user who writes `max_age = 30` means days.
    private var secondsForDays: [String] {
        loaded.entries.compactMap { entry in
            let lost = ["[log]": "older track is deleted", "[dispatch]": "event that waits longer is dropped"][entry.section]
            guard entry.key == "max_age", let lost, let origin = entry.origin,
                let number = line(origin)?.firstMatch(of: #/=\s*([1-9][0-9]*)\s*(?:#|$)/#)?.1, let count = Int(number), count < 86_400
            else { return nil }
            let place = "\(origin.file):\(origin.place.line):\(origin.place.column)"
            return
                "\(place): \(entry.section) max_age: \(number) is in seconds, and every \(lost); write \"\(number) d\" if days are meant"
        }
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
