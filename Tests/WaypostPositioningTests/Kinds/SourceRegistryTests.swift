import Testing
import Waypost
import WaypostPositioning

@Suite struct SourceRegistryTests {
    @Test func eachKindHasASchemeOfItsOwnAndSaysWhatItIs() {
        let schemes = SourceRegistry.all.map { $0.scheme }
        #expect(Set(schemes).count == schemes.count)
        for kind in SourceRegistry.all {
            #expect(!kind.forms.isEmpty && kind.forms.allSatisfy { $0.hasPrefix(kind.scheme + ":") }, "\(kind)")
            #expect(!kind.documentation.isEmpty && !kind.documentation.hasSuffix("."), "\(kind)")
            #expect(SourceRegistry.sentence.contains(kind.forms[0] + (kind.forms.count > 1 ? "" : " (\(kind.documentation))")))
            #expect(SourceRegistry.kind(named: "\(kind.scheme):x") == kind)
        }
    }

    @Test func onlyReceiversMaySetAClock() {
        #expect(Set(SourceRegistry.clockSchemes) == ["gpsd", "serial", "nmea-tcp", "nmea-udp"])
        #expect(SourceRegistry.all.allSatisfy { !$0.isClock || !$0.isPlayed })
    }

    @Test(arguments: [
        ("gpsd://box:1/dev/a", "gpsd://box:1/dev/a"), ("serial:auto", "serial:auto"),
        ("serial:/dev/ttyS0?baud=9600", "serial:///dev/ttyS0?baud=9600"),
        ("nmea:a?speed=2", "nmea:a"), ("nmea:-", "nmea:-"), ("nmea:a?style=fixed", "nmea:a"), ("nmea-tcp:", "nmea-tcp://localhost:10110"),
        ("nmea-udp://[::]", "nmea-udp://[::]:10110"), ("gpx:a.gz?speed=0", "gpx:a.gz"), ("csv:a", "csv:a"), ("kml:a", "kml:a"),
        ("jsonl:a", "jsonl:a"),
        ("route:a", "route:a"), ("sim:walk", "sim:walk"), ("exec:date", "exec:date"),
    ])
    func makesTheSourceThatTheURLNames(text: String, name: String) throws {
        let source = try SourceURL(text).kind.makeSource(SourceSettings())
        #expect(source.name == name)
    }

    @Test(arguments: [
        ("drive.log", "nmea:drive.log"), ("a b?x=1.nmea.gz", "nmea:a b%3Fx=1.nmea.gz"), ("/x/drive.GPX", "gpx:/x/drive.GPX"),
        ("drive.csv", "csv:drive.csv"), ("drive.kml.gz", "kml:drive.kml.gz"),
    ])
    func playsARecordingByItsName(path: String, url: String) throws {
        let found = try #require(SourceRegistry.playing(path))
        #expect(found.description == url)
        #expect(found.kind.file == path)
    }

    @Test(arguments: ["drive", "drive.geojson", "-", ""]) func playsNothingWithoutAFormat(path: String) {
        #expect(SourceRegistry.playing(path) == nil)
    }
}
