import Testing
import Waypost
import WaypostTestKit

/// Tables of positions, as others write them.
struct CSVReaderTests {
    private func read(_ table: String) -> CSVContract.Reading { CSVContract.read(Array(table.utf8)) { table.utf8.count } }

    private func fixes(_ table: String) -> [Position] {
        read(table).elements.compactMap { if case .position(let position) = $0 { position } else { nil } }
    }

    @Test(arguments: [
        "time,lat,lon,ele,speed,course\n2026-11-22T10:00:00Z,51.5,10.25,235.1,10,90\n",
        "Timestamp,Longitude,Latitude,Altitude,Heading,Speed (m/s)\r\n2026-11-22 10:00:00,10.25,51.5,235.1,90,10\r\n",
        "\u{FEFF}date;time;lng;lat;alt;speed (km/h);bearing\n2026-11-22;10:00:00;10,25;51,5;235,1;36;90\n",
        "# by hand\n\nlat\tlon\tutc\televation_m\tSpeed_kmh\tcog\n51.5\t10.25\t1795341600\t235.1\t36.0\t90.0\n",
        "latitude,longitude,timestamp,height [m],speed_knots,track\r51.5,10.25,1795341600000,235.1,19.438445,90\r",
        "sep=|\nlat|lon|Date|Time|alt|speed|direction\n51.5|10.25|2026/11/22|10:00:00|235.1|10|90",
        "lat,lon,date,altitude_ft,velocity,heading_deg\n\"51.5\",\"10.25\",\"2026-11-22 10:00:00\",771.3255,10,90\n",
    ])
    func readsWhatProgramsCallColumns(table: String) throws {
        let fix = try #require(fixes(table).first, "\(table)")
        #expect(fix.coordinate == Coordinate(latitudeDegrees: 51.5, longitudeDegrees: 10.25))
        #expect(fix.time == UTCTime(rfc3339: "2026-11-22T10:00:00Z"), "\(table)")
        #expect(fix.altitudeMSLMetres == 235.1 && fix.speedMetresPerSecond == 10 && fix.courseDegrees == 90, "\(fix)")
        #expect(fix.mode == .threeDimensional && fixes(table).count == 1 && read(table).remarks == [])
    }

    @Test func tellsOtherColumnsOnceAndBadValuesWithTheirLines() {
        let reading = read("lat,lon,temp,time,hr\n1,2,20,yesterday,70\n91,2,20,,70\n3,4,21,,x\n,,,2026-11-22T10:00:00Z,\n\n5,,,,\n")
        #expect(
            reading.remarks == [
                "columns that are not read: temp, hr", "rows with an impossible place, left out: 2, first line 3: latitude 91",
                "values that cannot be read: 1, line 2: time yesterday",
            ])
        #expect(reading.elements.count == 3, "two fixes, one report without a fix")
        #expect(reading.elements.last == .noFix(NoFix(time: UTCTime(rfc3339: "2026-11-22T10:00:00Z"))))
    }

    /// Whatever a table says about the time of a fix becomes its time, or is told.
    @Test(arguments: [
        ("05/01/2026 10:00", "time 05/01/2026 10:00"), ("01.05.2026 10:00", "time 01.05.2026 10:00"),
        ("1.5.2026 10:00:00", "time 1.5.2026 10:00:00"), ("10:00:00", "time 10:00:00, without a day"),
        ("May 1 2026 10:00", "time May 1 2026 10:00"),
        ("2026-05-01", "time 2026-05-01"), ("20260501T100000Z", "time 20260501T100000Z"), ("10h02", "time 10h02"), ("-5", "time -5"),
        ("1e30", "time 1e30"), ("46352.5", "time 46352.5"), ("99999999", "time 99999999"),
    ])
    func tellsEachTimeThatCannotBeRead(time: String, told: String) throws {
        let table = "time,lat,lon\n\(time),51.7,10.2\n"
        #expect(read(table).remarks == ["values that cannot be read: 1, line 2: \(told)"])
        #expect(try #require(fixes(table).first).time == nil)
    }

    @Test(arguments: [
        ("05/01/2026,10:00:00", ["date 05/01/2026"]), ("01.05.2026,10:00", ["date 01.05.2026"]), ("2026-05-01,10:00 AM", ["time 10:00 AM"]),
        ("bad,10:00:00", ["date bad"]), ("2026-05-01,", ["date 2026-05-01, without a time of day"]),
        (",10:00", ["time 10:00, without a day"]),
        ("bad,worse", ["date bad", "time worse"]), ("bad,", ["date bad"]), ("2026-05-01 00:00,10:00", ["time 10:00"]),
    ])
    func tellsEachDateThatCannotBeRead(values: String, told: [String]) throws {
        let table = "date,time,lat,lon\n\(values),51.7,10.2\n"
        let lines = told.map { "line 2: \($0)" }.joined(separator: "; ")
        #expect(read(table).remarks == ["values that cannot be read: \(told.count), \(lines)"])
        #expect(try #require(fixes(table).first).time == nil)
    }

    @Test func tellsADateBesideAWholeTime() throws {
        let table = "date,time,lat,lon\nbad,2026-05-01T10:00:00Z,1,2\n2026-05-01,2026-05-01T10:00:00Z,1,2\n"
        #expect(read(table).remarks == ["values that cannot be read: 1, line 2: date bad"])
        #expect(fixes(table).allSatisfy { $0.time == UTCTime(rfc3339: "2026-05-01T10:00:00Z") })
        #expect(
            read("date,lat,lon\n2026-05-01,1,2\n").remarks == [
                "values that cannot be read: 1, line 2: date 2026-05-01, without a time of day"
            ])
    }

    @Test func tellsValuesBehindTheLastColumn() {
        #expect(
            read("lat,lon\n51.0,5.0,10,25\n").remarks == [
                "values that cannot be read: 2, line 2: behind the last column 10; line 2: behind the last column 25"
            ])
        #expect(read("lat,lon\n51,5,\n").remarks == [])
    }

    /// A comma within a number is one between values: whose they are is not certain, and nothing is guessed.
    @Test func leavesOutAPlaceWithDecimalCommas() {
        let reading = read("time,lat,lon\n2026-05-09T07:14:45Z,51,73,10,24\n2026-05-09T07:14:46Z,51.73,10.24,x\n")
        #expect(reading.elements.count == 1)
        #expect(
            reading.remarks.first?.hasPrefix("rows with an impossible place, left out: 1, first line 2: more values than columns") == true)
        #expect(fixes("time;lat;lon\n2026-05-09T07:14:45Z;51,73;10,24;x\n").first?.coordinate.latitudeDegrees == 51.73)
    }

    @Test func countsTheValuesThatItDoesNotTell() throws {
        let rows = (0..<20).map { _ in "x,1,2\n" }.joined()
        let remark = try #require(read("time,lat,lon\n" + rows).remarks.first)
        #expect(remark.hasPrefix("values that cannot be read: 20, line 2: time x; line 3: time x; "))
        #expect(remark.hasSuffix("line 9: time x; and 12 more, the last in line 21"))
    }

    @Test(arguments: [
        ("51.5,10.25,12\n", CSVError.noPlaceColumns(line: 1)), ("\n\na,lat\n", .noPlaceColumns(line: 3)), ("", .empty), ("\n \n", .empty),
    ])
    func refusesATableWithoutPlaces(table: String, error: CSVError) {
        #expect(read(table).failure == error)
    }

    @Test func readsQuotedFieldsOverLines() throws {
        let fix = try #require(fixes("source,lat,lon\n\"a, \"\"b\"\"\nc\",1,2\n").first)
        #expect(fix.source == "a, \"b\"\nc")
        #expect(fixes("lat,lon,source\n1,2,'=1\n").first?.source == "=1", "the ' that keeps spreadsheets from computing")
        let unended = read("lat,lon,source\n1,2,\"x" + String(repeating: "y", count: 70_000) + "\n3,4,\n")
        #expect(unended.remarks == ["rows longer than 65536 bytes, left out: 1, first line 2"])
        #expect(unended.elements.count == 1)
    }

    /// It costs its own line, not the rows behind it.
    @Test(arguments: [
        "lat,lon,source\n1,2,\"x\n3,4,y\n5,6,z\n", "lat,lon,source\r\n1,2,\"x\r\n3,4,\"y\"\r\n5,6,z",
        "lat,lon,source\r1,2,\"x\r3,4,\"\"\"y\"\"\"\r5,6,z\r", "source,lat,lon\n\"x,1,2\n3,3,4\n5,5,6",
    ]) func closesALoneQuoteAtTheEndOfItsLine(table: String) {
        let reading = read(table)
        let last = reading.elements.last.flatMap { if case .position(let position) = $0 { position } else { nil } }
        #expect(last?.coordinate == Coordinate(latitudeDegrees: 5, longitudeDegrees: 6))
        #expect(reading.elements.count >= 2)
        #expect(reading.remarks.last == "quotes that nothing closes, taken as closed at the end of their line: 1, first line 2")
    }

    @Test func readsEveryRowBehindALoneQuote() {
        #expect(fixes("lat,lon,source\n1,2,\"x\n" + String(repeating: "3,4,\"\"\n", count: 12_000)).count == 12_001)
    }

    /// No bytes are read more than twice, however many quotes are alone.
    @Test func readsManyLoneQuotesInTime() {
        let lines = String(repeating: "1,2,\"x\n", count: 5_001) + "3,4,\"" + String(repeating: "y\n", count: 200_000)
        let start = ContinuousClock.now
        #expect(!fixes("lat,lon,source\n" + lines).isEmpty)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func minusOneIsNotKnown() throws {
        let fix = try #require(fixes("lat,lon,speed,course,accuracy\n1,2,-1,360,-1\n").first)
        #expect(fix.speedMetresPerSecond == nil && fix.accuracy == nil && fix.courseDegrees == 0)
    }

    /// A number that is cut off is another number: the place would be kilometres away.
    @Test func leavesOutARowWithinWhichTheTableEnds() {
        let table = "time,lat,lon,ele\n2026-05-09T07:14:44Z,51.7184343,10.2691301,235\n2026-05-09T07:14:45Z,51.7184343,10.2"
        #expect(fixes(table).count == 1)
        #expect(read(table).remarks == ["the table ends within the row of line 3, which was left out"])
        // A last row without a line end is common.
        #expect(fixes(table + "691301,235").count == 2 && read(table + "691301,235").remarks == [])
    }
}
