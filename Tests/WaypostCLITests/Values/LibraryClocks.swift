import Foundation
import Waypost
import WaypostSystem

/// What the C library's localtime(3) says that the clocks of a place show, every half hour of a year and a few days around it.
struct LibraryClocks: Sendable {
    /// A moment, and the date and time that the clocks show then as if it were UTC; both in seconds since 1970.
    struct Showing: Sendable {
        let moment: Int64
        let shown: Int64
    }

    /// The clocks as waypost reads them.
    let zone: TimeZoneRules
    let showings: [Showing]
    /// The moments by what is shown.
    let moments: [Int64: [Int64]]
    /// The moments at which the clocks are set.
    let changes: [Int64]

    /// Asks for the clocks that a value of `TZ` means; nil where waypost does not know them.
    init?(_ setting: String, year: Int) throws {
        guard let zone = TimeZoneFolder.rules(ofSetting: setting) else { return nil }
        let script = """
            import calendar, sys, time
            year = int(sys.argv[1])
            first = calendar.timegm((year, 1, 1, 0, 0, 0)) - 4 * 86400
            for moment in range(first, first + 374 * 86400, 1800):
                print(moment, calendar.timegm(time.localtime(moment)))
            """
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["TZ=\(setting)", "python3", "-c", script, "\(year)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        self.zone = zone
        showings = text.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { Int64($0) }
            return numbers.count == 2 ? Showing(moment: numbers[0], shown: numbers[1]) : nil
        }
        moments = Dictionary(grouping: showings, by: \.shown).mapValues { $0.map(\.moment) }
        changes = zip(showings, showings.dropFirst()).filter { $1.shown - $0.shown != 1_800 }.map { $1.moment }
    }

    /// The last moment until now with that time of day, in seconds; nil when the clocks were set past it later than that.
    func lastMoment(at secondOfDay: Int64, until now: Int64) -> Int64? {
        // Three days are enough: a time of day is skipped on one.
        let end = Int((now - showings[0].moment) / 1_800) + 1
        let showings = showings[max(0, end - 144)..<end]
        let occurrence = showings.last { $0.moment <= now && ($0.shown % 86_400 + 86_400) % 86_400 == secondOfDay }
        let skipped = zip(showings, showings.dropFirst()).contains { before, after in
            guard after.shown - before.shown > 1_800, after.moment <= now, after.moment > occurrence?.moment ?? 0 else { return false }
            return stride(from: before.shown + 1_800, to: after.shown, by: 1_800).contains { $0 % 86_400 == secondOfDay }
        }
        return skipped ? nil : occurrence?.moment
    }
}
