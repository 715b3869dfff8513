import Testing
import Waypost
import WaypostControl

@testable import WaypostCLI

/// What stands on the screen: columns that stay where they are, within 80, in the person's units and by the person's clocks.
@Suite struct ScreenTests {
    private let swiss = ScreenFormat(units: .metric, zone: TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc)

    private func position(_ latitude: Double, _ longitude: Double, speed: Double?, accuracy: Double?) throws -> Position {
        var position = Position(
            time: UTCTime(rfc3339: "2026-03-01T12:00:00Z"),
            coordinate: try #require(Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)), mode: .threeDimensional)
        position.altitudeMSLMetres = 408.4
        position.speedMetresPerSecond = speed
        position.courseDegrees = speed.map { _ in 359.8 }
        position.accuracy = accuracy.map { HorizontalAccuracy(radiusMetres: $0, origin: .receiver) }
        position.quality.satellitesUsed = 1
        return position
    }

    @Test func keepsTheColumnsOfARow() throws {
        let rows = [
            PositionLine(try position(47.378, 8.54, speed: 12, accuracy: 3.24), swiss).row(screenColumns: 80),
            PositionLine(try position(-7.1, -178.25, speed: 33, accuracy: 12.4), swiss).row(screenColumns: 80),
            PositionLine(try position(0.25, 8.54, speed: nil, accuracy: nil), swiss).row(screenColumns: 80),
        ]
        #expect(
            rows == [
                "2026-03-01 13:00:00   47.378000 N   8.540000 E   408 m 43.2 km/h   0\u{B0}  \u{B1}3.2 m",
                "2026-03-01 13:00:00    7.100000 S 178.250000 W   408 m  119 km/h   0\u{B0}  \u{B1}12 m",
                "2026-03-01 13:00:00    0.250000 N   8.540000 E   408 m",
            ])
        var simulated = try position(-47.378, -178.54, speed: 33, accuracy: 3.24)
        simulated.status = .simulated
        simulated.time = UTCTime(rfc3339: "2026-03-01T12:00:00.429Z")
        let row = PositionLine(simulated, swiss).row(screenColumns: 80)
        #expect(row.hasSuffix("simulated") && row.count <= 80, "\(row.count)")
        #expect(row.hasPrefix("2026-03-01 13:00:00.4 47.378000 S 178.540000 W "))
        let wide = PositionLine(try position(47.378, 8.54, speed: 12, accuracy: 3.24), swiss).row(screenColumns: nil)
        #expect(wide.hasSuffix("\u{B1}3.2 m  3D  1 satellite"))
    }

    @Test func showsThePersonsUnits() throws {
        let moving = try position(47.378, 8.54, speed: 12, accuracy: 3.24)
        #expect(
            PositionLine(moving, ScreenFormat(units: .imperial)).words == [
                "47.378000 N 8.540000 E, 1340 ft, \u{B1}10.6 ft", "3D, 26.8 mph, 0\u{B0}, 1 satellite",
            ])
        #expect(PositionLine(moving, ScreenFormat(units: .nautical)).words[1].contains("23.3 kn"))
    }

    @Test func saysHowLongThePositionWasLostAndWhereItWasLast() throws {
        var watch = WatchLines(swiss, screenColumns: 80)
        let lost =
            #"{"class":"LOST","reason":"silent","detail":"the source is silent","last":{"mode":2,"lat":47.378,"lon":8.54},"last_age":125}"#
        #expect(
            watch.lines(for: try WatchLine(line: Array(lost.utf8)))
                == ["lost: the source is silent; last at 47.378000 N 8.540000 E, 2 min 5 s ago"])
        let found = watch.lines(for: .position(WatchedPosition(try position(1, 2, speed: nil, accuracy: nil))))
        #expect(found.count == 2 && found[0] == "fix again, 0 s after it was lost")
        #expect(watch.lines(for: .position(WatchedPosition(try position(1, 2, speed: nil, accuracy: nil)))).count == 1)
        #expect(
            watch.lines(for: try WatchLine(line: Array(#"{"class":"LOST","reason":"no_fix","detail":"no fix"}"#.utf8)))
                == ["no position: no fix"])
        #expect(
            watch.lines(for: .position(WatchedPosition(try position(1, 2, speed: nil, accuracy: nil)))).first == "first fix, after 0 s")
        #expect(
            watch.lines(for: .dropped(DroppedLines(count: 1)))
                == ["(1 line dropped: this terminal is too slow)"])
    }

    @Test func showsEventsByTheClocksOfThePlace() throws {
        let event =
            #"{"id":"x","time":"2026-03-01T22:59:59.250Z","event":"enter","fence":"Yard","visit":7,"reason":"crossed","crossed_at":"2026-03-01T22:59:58Z","left_at":"2026-03-01T23:00:01Z"}"#
        #expect(
            EventLine(try #require(TrackerEvent(try JSONParser().parse(event))), swiss).text
                == "2026-03-01 23:59:59.250  enter Yard, crossed at 23:59:58 and left at 2026-03-02 00:00:01")
    }

    // MARK: - Tables

    private let columns: [TextTable.Column] = [
        .init(title: "name", isCut: true), .init(title: "size", isTrailing: true), .init(title: "id", isOptional: true),
        .init(title: "why"),
    ]

    @Test func alignsColumns() {
        var table = TextTable(columns, screenColumns: nil)
        #expect(
            table.lines([["Home", "2 KiB", "", "x"], ["\u{65E5}\u{672C}", "12 KiB", "", ""]]) == [
                "Home   2 KiB  x", "\u{65E5}\u{672C}  12 KiB",
            ])
        // What comes later stands where the others stand.
        #expect(table.lines([["A", "1 KiB", "", "y"]]) == ["A      1 KiB  y"])
        #expect(table.lines([]) == [])
    }

    @Test func fitsAScreen() {
        var table = TextTable(columns, screenColumns: 24)
        let lines = table.lines([["A very long name", "2 KiB", "the-id", "why not"], ["B", "200 KiB", "x", ""]])
        #expect(
            lines == ["name        size  why", "A ve...    2 KiB  why not", "B        200 KiB"]
                || lines.allSatisfy { displayWidth($0) <= 26 }, "\(lines)")
        #expect(lines[0].hasPrefix("name") && !lines[0].contains("id"))
        #expect(lines[1].contains("..."))
    }

    @Test func keepsNamesFromSteeringTheTerminal() {
        var table = TextTable([.init(title: "name"), .init(title: "x")], screenColumns: nil)
        #expect(table.lines([["a\u{1B}[2Jb", "1"], ["c", "2"]]) == ["a\\u001b[2Jb  1", "c            2"])
    }

    @Test func wrapsWordsBehindAnIndent() {
        #expect(
            wrapped("problem   one two three four five six", columns: 30, indent: 10) == [
                "problem   one two three four", "          five six",
            ])
        #expect(
            wrapped("          one two three four five six", columns: 24, indent: 10) == [
                "          one two three", "          four five six",
            ])
        #expect(wrapped("short", columns: 30, indent: 10) == ["short"])
        // A command is copied as a whole.
        #expect(
            wrapped("problem   its group may: sudo usermod -aG dialout ana, then log in again", columns: 51, indent: 10) == [
                "problem   its group may:", "          sudo usermod -aG dialout ana, then log in", "          again",
            ])
        #expect(
            wrapped("problem   it is paused; waypost dispatch resume --to home ends it", columns: 44, indent: 10) == [
                "problem   it is paused;", "          waypost dispatch resume --to home", "          ends it",
            ])
        #expect(unbreakablePieces("see (waypost dispatch list): x") == ["see", "(waypost dispatch list):", "x"])
        #expect(unbreakablePieces("waypost finds it; chmod 600 f") == ["waypost", "finds", "it;", "chmod 600 f"])
        #expect(wrapped("problem   one two three four five six", columns: nil, indent: 10).count == 1)
    }

    /// On a screen of 80 columns two fences of one name differ by their ids, and one long id does not push the others aside.
    @Test func tellsFencesOfOneNameApart() {
        func entry(_ id: String, _ name: String) -> FenceEntry {
            var entry = FenceEntry()
            (entry.id, entry.name, entry.shape, entry.radiusMetres) = (id, name, .circle, 120)
            (entry.latitudeDegrees, entry.longitudeDegrees, entry.isAdded) = (51.7, 10.2, true)
            return entry
        }
        let ids = ["0b0e7c1e-55c4-4f0e-9d1e-0123456789ab", "7f0e7c1e-55c4-4f0e-9d1e-0123456789ab"]
        let fences =
            ids.map { entry($0, "Depot") } + [
                entry("Yard", "Yard"), entry("Yard ", "Yard "), entry(String(repeating: "x", count: 300), "Long"),
            ]
        let format = ScreenFormat()
        var screen = FenceTable(format, screenColumns: 80)
        let lines = screen.lines(fences)
        for id in ids { #expect(lines.contains { $0.contains(id) }, "\(lines)") }
        #expect(lines.allSatisfy { displayWidth($0) <= 80 } && lines.contains { $0.contains("xxx...") })
        #expect(lines.count == Set(lines).count)
        var file = FenceTable(format, screenColumns: nil)
        let rows = file.lines(fences)
        #expect(rows.last?.contains(String(repeating: "x", count: 300)) == true && rows.dropLast().allSatisfy { $0.count < 160 }, "\(rows)")
    }
}
