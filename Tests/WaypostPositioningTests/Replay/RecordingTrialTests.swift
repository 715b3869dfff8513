import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

/// How far damaged recordings can be read, counted from the text that was cut.
@Suite struct RecordingTrialTests {
    private static let count = 2_000

    private static func time(_ second: Int) -> String {
        "2026-03-01T\(12 + second / 3_600):" + String(format: "%02d:%02d", second / 60 % 60, second % 60)
    }

    /// One line for each second, with what comes before and behind them.
    private static func recording(_ format: RecordingFormat) -> (head: String, lines: [String], tail: String) {
        let seconds = 0..<count
        func latitude(_ second: Int) -> String { String(format: "%.6f", 52 + Double(second) / 10_000) }
        switch format {
        case .gpx:
            let points = seconds.map { "<trkpt lat=\"\(latitude($0))\" lon=\"13\"><time>\(time($0))Z</time></trkpt>\n" }
            return ("<gpx version=\"1.1\"><trk><trkseg>\n", points, "</trkseg></trk></gpx>\n")
        case .csv: return ("time,lat,lon\n", seconds.map { "\(time($0))Z,\(latitude($0)),13\n" }, "")
        case .jsonl:
            return ("", seconds.map { #"{"class":"TPV","mode":2,"time":"\#(time($0))Z","lat":\#(latitude($0)),"lon":13}"# + "\n" }, "")
        case .kml:
            let points = seconds.map { "<when>\(time($0))Z</when><gx:coord>13 \(latitude($0))</gx:coord>\n" }
            return ("<kml><Placemark><gx:Track>\n", points, "</gx:Track></Placemark></kml>\n")
        default:
            return (
                "",
                seconds.map { second in
                    let clock = time(second).dropFirst(11).filter { $0 != ":" }
                    let body = "GPRMC,\(clock).00,A,52\(String(format: "%07.4f", Double(second) / 100)),N,01300.0000,E,0.0,0.0,010326,,,A"
                    return "$\(body)*\(String(format: "%02X", body.utf8.reduce(0, ^)))\r\n"
                }, ""
            )
        }
    }

    private static let formats: [RecordingFormat] = [.gpx, .csv, .jsonl, .kml, .nmea]

    private func remark(_ format: RecordingFormat, _ bytes: [UInt8]) throws -> String? {
        let file = try TemporaryFile(bytes)
        let found = try SourceURL("\(format.rawValue):\(file.path)").kind.remark(onFileAt: file.path)
        if let found { #expect(found.hasPrefix("\(file.path): ")) }
        return found.map { String($0.dropFirst(file.path.count + 2)) }
    }

    @Test(arguments: formats, [false, true]) func saysNothingOfAWholeRecording(format: RecordingFormat, isPacked: Bool) throws {
        let (head, lines, tail) = Self.recording(format)
        let bytes = Array((head + lines.joined() + tail).utf8)
        #expect(try remark(format, isPacked ? Gzip.compress(bytes) : bytes) == nil)
    }

    /// Cut within the line of second 1500: the one before it is the last, or the one before that where only the next line completes it.
    @Test(arguments: formats) func saysHowFarACutRecordingCanBeRead(format: RecordingFormat) throws {
        let (head, lines, _) = Self.recording(format)
        let bytes = Array((head + lines[..<1_500].joined() + lines[1_500].prefix(12)).utf8)
        let found = try #require(try remark(format, bytes))
        #expect(found.hasSuffix("; 1500 positions can be read, the last of \(Self.time(1_499)).000Z"), "\(found)")
    }

    @Test(arguments: formats) func saysHowFarACutGzipCanBeRead(format: RecordingFormat) throws {
        let (head, lines, tail) = Self.recording(format)
        let packed = try Gzip.compress(Array((head + lines.joined() + tail).utf8))
        let found = try #require(try remark(format, Array(packed.prefix(packed.count * 3 / 4))))
        #expect(found.contains("the gzip file is cut; "), "\(found)")
        let match = try #require(found.firstMatch(of: #/; ([0-9]+) positions can be read, the last of (.*)$/#), "\(found)")
        let count = try #require(Int(match.1))
        #expect((500..<Self.count).contains(count) && match.2 == "\(Self.time(count - 1)).000Z", "\(found)")
    }

    @Test(arguments: formats) func saysWhatIsGarbage(format: RecordingFormat) throws {
        var (head, lines, tail) = Self.recording(format)
        let garbage =
            switch format {
            case .gpx: "<trkpt lat=\"x\"><<<&&;\n"
            case .kml: "<when>never</when><gx:coord>x y</gx:coord>\n"
            default: "$G{\"class\":\"TPV\",\"mode\":x\u{1},,\n"
            }
        lines.insert(garbage, at: 1_000)
        let found = try #require(try remark(format, Array((head + lines.joined() + tail).utf8)))
        #expect(found.contains(" positions can be read, the last of \(Self.time(Self.count - 1)).000Z"), "\(found)")
    }

    /// A file of gigabytes, or a small one that unpacks to them, is read only so far.
    @Test(arguments: [false, true]) func readsOnlySoFar(isPacked: Bool) throws {
        let (head, lines, tail) = Self.recording(.csv)
        let bytes = Array((head + lines.joined() + tail).utf8)
        let file = try TemporaryFile(isPacked ? Gzip.compress(bytes) : bytes)
        let remark = try #require(try RecordingTrial(path: file.path, format: .csv, mostBytes: 65_536).remark)
        #expect(remark.hasSuffix("; what comes later was not tried"))
        let match = try #require(remark.firstMatch(of: #/: ([0-9]+) positions can be read, the last of (.*); what/#))
        let count = try #require(Int(match.1))
        let rowBytes = lines[0].utf8.count
        #expect(abs(count - 65_536 / rowBytes) <= 2 && match.2 == "\(Self.time(count - 1)).000Z", "\(remark)")
    }

    @Test func countsTheCornersOfARoute() throws {
        let text = "<gpx version=\"1.1\"><rte>" + (0..<5).map { "<rtept lat=\"52.\($0)\" lon=\"13\"/>" }.joined()
        let file = try TemporaryFile(text)
        let remark = try SourceURL("route:\(file.path)").kind.remark(onFileAt: file.path)
        #expect(remark?.hasSuffix("; 5 positions can be read") == true, "\(remark ?? "")")
    }
}
