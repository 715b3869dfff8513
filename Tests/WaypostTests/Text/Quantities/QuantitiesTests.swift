import Testing
import Waypost

/// Counts, spans, sizes, distances, heights, speeds and times as people read them.
struct QuantitiesTests {
    @Test(arguments: [
        (1, "place", "1 place"), (2, "place", "2 places"), (0, "position", "0 positions"), (3, "fix", "3 fixes"),
        (2, "stretch", "2 stretches"),
        (1, "stretch", "1 stretch"), (2, "entry", "2 entries"), (2, "day", "2 days"), (5, "more remark", "5 more remarks"),
    ]) func countsNouns(number: Int, noun: String, text: String) {
        #expect(counted(number, noun) == text)
    }

    @Test(arguments: [
        (-5, "0 s"), (0, "0 s"), (1, "1 s"), (119, "119 s"), (120, "2 min"), (125, "2 min 5 s"), (599, "9 min 59 s"), (600, "10 min"),
        (7_199, "119 min"), (7_200, "2 h"), (12_000, "3 h 20 min"), (172_799, "47 h 59 min"), (172_800, "2 days"), (187_200, "2 days 4 h"),
    ]) func saysSpans(seconds: Int, text: String) {
        #expect(spanText(seconds: seconds) == text)
        #expect(spanText(.seconds(seconds)) == text)
    }

    @Test(arguments: [(500, "0.5 s"), (50, "0.05 s"), (2_500, "2.5 s"), (3_000, "3 s"), (12_700, "12 s"), (-1, "0 s")])
    func saysFractionsOfShortSpans(milliseconds: Int, text: String) {
        #expect(spanText(.milliseconds(milliseconds)) == text)
    }

    @Test func saysSpansBeyondAllBounds() {
        #expect(spanText(seconds: UInt64.max).hasSuffix("h"))
        #expect(spanText(.seconds(Int64.max)).contains("days"))
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10_240, "10 KiB"),
        (1_048_575, "1 MiB"),
        (1_048_576, "1 MiB"), (91_226_112, "87 MiB"), (3_435_973_837, "3.2 GiB"), (Int64.max, "8192 PiB"),
    ]) func saysSizes(bytes: Int64, text: String) {
        #expect(sizeText(bytes: bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0 m", "0 ft", "0 m"), (2.54, "2.5 m", "8.3 ft", "2.5 m"), (60, "60 m", "197 ft", "60 m"),
        (340.4, "340 m", "0.2 mi", "340 m"),
        (999.4, "999 m", "0.6 mi", "999 m"), (999.6, "1 km", "0.6 mi", "0.5 nmi"), (1_234, "1.2 km", "0.8 mi", "0.7 nmi"),
        (16_082_239.4, "16082 km", "9993 mi", "8684 nmi"), (-12, "-12 m", "-39.4 ft", "-12 m"), (.infinity, "? km", "? mi", "? nmi"),
    ]) func saysDistances(metres: Double, metric: String, imperial: String, nautical: String) {
        #expect(UnitSystem.metric.distance(metres) == metric)
        #expect(UnitSystem.imperial.distance(metres) == imperial)
        #expect(UnitSystem.nautical.distance(metres) == nautical)
    }

    @Test(arguments: [
        (0.0, "0.0 km/h", "0.0 mph", "0.0 kn"), (1.2, "4.3 km/h", "2.7 mph", "2.3 kn"), (33, "119 km/h", "73.8 mph", "64.1 kn"),
    ]) func saysSpeeds(metresPerSecond: Double, metric: String, imperial: String, nautical: String) {
        #expect(UnitSystem.metric.speed(metresPerSecond) == metric)
        #expect(UnitSystem.imperial.speed(metresPerSecond) == imperial)
        #expect(UnitSystem.nautical.speed(metresPerSecond) == nautical)
    }

    @Test func saysHeights() {
        #expect(UnitSystem.metric.altitude(408.3) == "408 m")
        #expect(UnitSystem.imperial.altitude(408.3) == "1340 ft")
        #expect(UnitSystem.nautical.altitude(-0.4) == "0 m")
    }

    @Test func saysMomentsByTheClocksOfThePlace() throws {
        let zone = try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        let format = ScreenFormat(zone: zone)
        #expect(format.moment("2026-01-01T23:30:00Z") == "2026-01-02 00:30:00")
        #expect(format.moment("2026-07-01T12:00:00.250Z") == "2026-07-01 14:00:00.250")
        #expect(ScreenFormat().moment("2026-07-01T12:00:00Z") == "2026-07-01 12:00:00")
        #expect(format.moment("never") == "never")
        // The last moment there is has no later clock.
        #expect(format.moment("9999-12-31T23:59:59Z") == "9999-12-31 23:59:59")
    }
}
