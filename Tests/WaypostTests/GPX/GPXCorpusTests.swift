import Foundation
import Testing
import Waypost
import WaypostTestKit

/// Other people's GPX files, each with the outcome that its manifest names; where they are at hand.
@Suite struct GPXCorpusTests {
    @Test func endsEveryFileAsItsManifestSays() throws {
        try forEachFile { name, row, input in
            let reading = GPXContract.read(input) { 4_096 }
            let summary = reading.summary
            let expected = ["wpt", "rtept", "trkpt"].compactMap { row[$0].flatMap { Int($0) } }
            let found = [summary.waypoints, summary.routePoints, summary.trackPoints]
            switch row["expect"] {
            case "reject": #expect(reading.failure != nil && reading.items.isEmpty, "\(name)")
            case "ok": #expect(reading.failure == nil && found == expected && summary.badPoints == 0 && !summary.isCut, "\(name)")
            case "ok_lenient": #expect(reading.failure == nil && found == expected, "\(name)")
            case "ok_skip":
                #expect(reading.failure == nil && found == expected, "\(name)")
                #expect(row["bad_points"] == String(summary.badPoints), "\(name)")
            case "salvage":
                // "At least": what is whole behind the damage is kept as well.
                #expect(reading.failure == nil && zip(found, expected).allSatisfy { $0 >= $1 }, "\(name)")
                #expect(!summary.remarks.isEmpty, "\(name)")
            default: Issue.record("an outcome that is not known: \(name)")
            }
        }
    }

    @Test func carriesEveryElementOfEveryFile() throws {
        try forEachFile { name, _, input in
            let reading = GPXContract.read(input, keepsOtherElements: true) { 4_096 }
            guard reading.failure == nil else { return }
            let written = GPXContract.write(reading.items)
            // Elements that foreign programs add, and those of GPX that only they use, by their end or empty tags.
            for part in [
                "hr", "cad", "cmt", "sym", "src", "type", "link", "number", "magvar", "dgpsid", "ageofdgpsdata", "fix", "keywords",
            ] {
                let count = [input, written].map { bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    return text.ranges(of: "<\(part)>").count + text.ranges(of: ":\(part)>").count / 2
                }
                if reading.summary.remarks.isEmpty, reading.summary.version != "1.0", input.first == 0x3C, name != "x_ns_prefixed.gpx" {
                    #expect(count[0] == count[1], "\(part) of \(name)")
                }
            }
            #expect(GPXContract.violations(reading: input, seed: 1) == [], "\(name)")
        }
    }

    /// Each file with its line of the manifest.
    private func forEachFile(_ body: (_ name: String, _ row: [String: String], _ input: [UInt8]) throws -> Void) throws {
        guard let manifest = SharedFolder.path("data/gpx/MANIFEST.tsv") else {
            print("other people's GPX files skipped: set WAYPOST_SHARED to a folder with data/gpx/MANIFEST.tsv")
            return
        }
        let lines = try String(contentsOfFile: manifest, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let columns = try #require(lines.first)
        #expect(lines.count == 133)
        for line in lines.dropFirst() {
            let row = Dictionary(uniqueKeysWithValues: zip(columns, line))
            let name = try #require(row["file"])
            let path = try #require(SharedFolder.path("data/gpx/\(name)"))
            try body(name, row, [UInt8](try Data(contentsOf: URL(filePath: path))))
        }
    }
}
