import Testing
import Waypost

@testable import WaypostConfiguration

/// Every key is held to the range that the reference states.
@Suite struct ConfigurationRangeTests {
    private struct Bounded {
        let section: ConfigurationSection
        let key: ConfigurationKeyDescription
        let lower: String
        let upper: String
    }

    /// The keys whose units say `from A to B`.
    private var bounded: [Bounded] {
        Configuration.sections.flatMap { section in
            section.keys.compactMap { key in
                guard let range = key.unit?.split(separator: "from ").last, key.unit?.contains("from ") == true else { return nil }
                let ends = range.split(separator: " to ").map(String.init)
                return Bounded(section: section, key: key, lower: ends[0], upper: ends[1])
            }
        }
    }

    private func reads(_ section: ConfigurationSection, _ key: String, _ value: String) throws -> Bool {
        let required = ["[[source]]": "url = \"sim:walk\"\n", "[[destination]]": "name = \"a\"\nurl = \"https://a.example/\"\n"]
        do {
            _ = try readConfiguration("\(section.header)\n\(required[section.header] ?? "")\(key) = \(value)\n")
            return true
        } catch let errors as ConfigurationErrors {
            #expect(errors.errors.allSatisfy { "\($0)".contains(key) }, "\(errors)")
            return false
        }
    }

    /// The value as it stands, and the nearest one beyond it.
    private func written(_ text: String, beyond step: Int64) throws -> (at: String, beyond: String) {
        if let number = Int64(text) { return ("\(number)", "\(number + step)") }
        if let span = try? DurationText.parse(text) {  // Else it is a distance.
            return ("\"\(text)\"", "\(span / .seconds(1) + Double(step) / 1_000)")
        }
        return ("\"\(text)\"", "\(try DistanceText.parse(text) + Double(step) / 1_000)")
    }

    @Test func holdsEveryKeyToItsRange() throws {
        #expect(bounded.count >= 19)
        for entry in bounded {
            let lower = try written(entry.lower, beyond: -1)
            let upper = try written(entry.upper, beyond: 1)
            for (value, isGood) in [(lower.at, true), (lower.beyond, false), (upper.at, true), (upper.beyond, false)] {
                #expect(try reads(entry.section, entry.key.name, value) == isGood, "\(entry.section.header) \(entry.key.name) = \(value)")
            }
            // "0 = none" is a value that may be given.
            if entry.key.documentation.contains("0 = ") { #expect(try reads(entry.section, entry.key.name, "0")) }
        }
    }

    /// Ranges that are told in words, outside of the units.
    @Test(arguments: [
        ("privacy", "zones", ["[\"a: 1, 2, 50 m\"]", "[\"a: 1, 2, 100 km\"]"], ["[\"a: 1, 2, 49 m\"]", "[\"a: 1, 2, 101 km\"]"]),
        ("tracking", "rest_interval", ["0", "\"20 s\""], ["\"10 s\"", "19.999"]),
    ]) func holdsWordsToo(section: String, key: String, good: [String], bad: [String]) throws {
        let section = try #require(Configuration.sections.first { $0.name == section })
        for value in good { #expect(try reads(section, key, value), "\(value)") }
        for value in bad { #expect(try !reads(section, key, value), "\(value)") }
    }

    /// A range belongs into the unit, which is made from what is checked.
    @Test func statesRangesInTheUnitOnly() {
        let ranges = /[0-9] ?(ms|s|min|h|d|m|km) or more|at least [0-9]|from [0-9].* to [0-9]|\([0-9.]+ ?\w* to [0-9]/
        for section in Configuration.sections {
            for key in section.keys where key.documentation.contains(ranges) {
                #expect(key.name == "zones", "\(section.header) \(key.name): \(key.documentation)")
            }
        }
    }
}
