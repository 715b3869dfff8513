import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

/// What `waypost convert` reads can be played, packed or not.
@Suite struct PlayedFormatsTests {
    private static let seconds = 30

    /// The same drive to the north in one of the formats: a fix a second.
    private static func text(_ format: RecordingFormat) -> String {
        let receiver = SimulatedReceiver()
        let epochs = (0..<seconds).map { receiver.epoch($0) }
        func rows(_ row: (String, Coordinate) -> String) -> String {
            epochs.map { row(rfc3339($0.time), $0.coordinate) }.joined(separator: "\n")
        }
        switch format {
        case .nmea: return epochs.map(\.text).joined()
        case .gpx:
            let points = rows { "<trkpt lat=\"\($1.latitudeDegrees)\" lon=\"\($1.longitudeDegrees)\"><time>\($0)</time></trkpt>" }
            return "<gpx version=\"1.1\"><trk><trkseg>\(points)</trkseg></trk></gpx>"
        case .jsonl:
            return rows { #"{"class":"TPV","mode":2,"time":"\#($0)","lat":\#($1.latitudeDegrees),"lon":\#($1.longitudeDegrees)}"# }
        case .csv: return "time,lat,lon\n" + rows { "\($0),\($1.latitudeDegrees),\($1.longitudeDegrees)" }
        case .kml:
            let points = rows { "<when>\($0)</when><gx:coord>\($1.longitudeDegrees) \($1.latitudeDegrees)</gx:coord>" }
            return "<kml><Placemark><gx:Track>\(points)</gx:Track></Placemark></kml>"
        }
    }

    private static func rfc3339(_ time: UTCTime) -> String {
        var text = TextBuffer()
        text.append(time)
        return text.string
    }

    private func events(of source: some PositionSource) async throws -> [PositionSourceEvent] {
        let log = EventLog()
        try await source.run { log.append($0) }
        return log.events
    }

    private func positions(_ events: [PositionSourceEvent]) -> [Position] {
        events.compactMap { if case .position(let position) = $0 { position } else { nil } }
    }

    @Test(arguments: RecordingFormat.allCases, [false, true])
    func playsEveryFormatPackedOrNot(format: RecordingFormat, isPacked: Bool) async throws {
        let bytes = Array(PlayedFormatsTests.text(format).utf8)
        let file = try TemporaryFile(isPacked ? try Gzip.compress(bytes) : bytes)
        let found = try await events(of: ReplaySource(path: file.path, format: format, options: .init(speed: 0, rebasesTimes: false)))
        let receiver = SimulatedReceiver()
        #expect(positions(found).map(\.time) == (0..<PlayedFormatsTests.seconds).map { receiver.epoch($0).time })
        let isThere = zip(positions(found), (0..<PlayedFormatsTests.seconds).map { receiver.epoch($0).coordinate }).allSatisfy {
            Geodesic.distanceMetres(from: $0.coordinate, to: $1) < 0.2
        }
        #expect(isThere)
        #expect(found.last == .finished)
    }

    @Test func followsAPackedNMEAFileAsItIs() async throws {
        let bytes = Array(PlayedFormatsTests.text(.nmea).utf8)
        let plain = try TemporaryFile(bytes)
        let packed = try TemporaryFile(try Gzip.compress(bytes))
        let told = try await events(of: NMEAFileSource(path: plain.path, speed: 0))
        let again = try await events(of: NMEAFileSource(path: packed.path, speed: 0))
        #expect(positions(told).map(\.time) == positions(again).map(\.time) && positions(told).count == PlayedFormatsTests.seconds)
        #expect(told.count == again.count)
    }

    @Test func aCutGzipIsPlayedAsFarAsItIsWhole() async throws {
        let bytes = try Gzip.compress(Array(PlayedFormatsTests.text(.csv).utf8))
        let file = try TemporaryFile(Array(bytes.prefix(bytes.count * 3 / 4)))
        let found = try await events(of: ReplaySource(path: file.path, format: .csv, options: .init(speed: 0)))
        #expect((1..<PlayedFormatsTests.seconds).contains(positions(found).count))
        #expect(found.contains(.status(.warning("the gzip file is cut; what came before that was played"))))
        #expect(found.last == .finished)
    }

    /// What `config check` says of a file is what the source says when it begins with it.
    @Test(arguments: ["gpx", "nmea", "csv", "kml", "jsonl", "route"], ["", "nothing\n", "<gpx version=\"1.1\"></gpx>\n"])
    func triesAFileAsTheSourceDoes(scheme: String, text: String) async throws {
        let file = try TemporaryFile(text)
        let kind = try SourceURL("\(scheme):\(file.path)").kind
        var told: PositionSourceError?
        do throws(PositionSourceError) { try await kind.makeSource(SourceSettings()).run { _ in } } catch { told = error }
        var tried: PositionSourceError?
        do throws(PositionSourceError) { try kind.tryFile(at: file.path) } catch { tried = error }
        #expect(told != nil && tried == told)
    }

    @Test(arguments: [RecordingFormat.gpx, .nmea, .csv, .kml, .jsonl]) func findsNothingWrongWithARecording(format: RecordingFormat) throws
    {
        let file = try TemporaryFile(PlayedFormatsTests.text(format))
        for options in ["", "?style=fixed"] { try SourceURL("\(format.rawValue):\(file.path)\(options)").kind.tryFile(at: file.path) }
        let missing = PositionSourceError.cannotOpen(path: "/nonexistent/x", reason: "No such file or directory")
        #expect(throws: missing) { try SourceURL("\(format.rawValue):/nonexistent/x").kind.tryFile(at: "/nonexistent/x") }
    }

    @Test(arguments: [
        (RecordingFormat.nmea, "holds no NMEA sentence in 1 line"), (.gpx, "there is no XML in it"),
        (.jsonl, "holds nothing usable as jsonl"),
        (.csv, "its line 1 does not name the columns; that takes lat and lon at least, as in time,lat,lon,ele,speed"),
        (.kml, "there is no XML in it"),
    ])
    func saysWhyThereIsNothingToPlay(format: RecordingFormat, reason: String) async throws {
        let file = try TemporaryFile("nothing\n")
        let expected = PositionSourceError.unusable(path: file.path, reason: reason)
        await #expect(throws: expected) { try await events(of: ReplaySource(path: file.path, format: format)) }
    }

    @Test func stopsWithinAPackedFileOfNothing() async throws {
        // 300 MB of nothing take seconds to read.
        let zeros = try Gzip.compress([UInt8](repeating: 0x0A, count: 30 << 20))
        let file = try TemporaryFile(Array(repeatElement(zeros, count: 10).joined()))
        let source = ReplaySource(path: file.path, format: .nmea)
        let start = ContinuousClock.now
        let task = Task { try await source.run { _ in } }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        _ = await task.result
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
