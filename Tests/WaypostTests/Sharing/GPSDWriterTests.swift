import Testing
import Waypost

@Suite struct GPSDWriterTests {
    private func position() throws -> Position {
        let place = try #require(Coordinate(latitudeDegrees: 51.731654333, longitudeDegrees: 10.2443995))
        var position = Position(
            time: UTCTime(millisecondsSince1970: 1_778_310_935_000), coordinate: place, mode: .threeDimensional, status: .gps)
        position.altitudeMSLMetres = 233
        position.geoidSeparationMetres = 45.8
        position.speedMetresPerSecond = 13.907
        position.courseDegrees = 126.98
        position.climbMetresPerSecond = 0.6
        position.accuracy = HorizontalAccuracy(radiusMetres: 8.6, origin: .gpsd)
        position.quality.eph = 13.87
        return position
    }

    // The figures of gpsd 3.22 for the same fix of drive.nmea, as far as they are known here.
    @Test func writesWhatGPSDWrites() throws {
        let line = String(decoding: GPSDWriter(device: "/dev/pts/1").position(try position()), as: UTF8.self)
        #expect(
            line == """
                {"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-05-09T07:15:35.000Z","lat":51.731654333,"lon":10.244399500,\
                "altHAE":278.8000,"altMSL":233.0000,"alt":233.0000,"epx":11.106,"epy":11.106,"track":126.9800,"speed":13.907,\
                "climb":0.600,"geoidSep":45.800,"eph":13.870}\r\n
                """)
    }

    @Test func leavesOutWhatIsNotKnown() throws {
        var position = Position(time: nil, coordinate: try #require(Coordinate(latitudeDegrees: -1, longitudeDegrees: 2)))
        position.altitudeMSLMetres = 5  // Not of a fix in two dimensions.
        position.speedMetresPerSecond = .infinity
        let line = String(decoding: GPSDWriter(device: "waypost").position(position), as: UTF8.self)
        #expect(line == "{\"class\":\"TPV\",\"device\":\"waypost\",\"mode\":2,\"lat\":-1.000000000,\"lon\":2.000000000}\r\n")
        #expect(
            String(decoding: GPSDWriter(device: "waypost").noFix(NoFix(time: nil)), as: UTF8.self)
                == "{\"class\":\"TPV\",\"device\":\"waypost\",\"mode\":1}\r\n")
    }

    // gpsd's accuracy is of 95 %, ours of 68 %.
    @Test func widensAnAccuracyTo95Percent() throws {
        var position = try position()
        position.quality.eph = nil
        position.accuracy = HorizontalAccuracy(radiusMetres: 6.2, origin: .gst)
        #expect(String(decoding: GPSDWriter(device: "x").position(position), as: UTF8.self).contains("\"eph\":10.000}"))
    }

    /// Satellites of NMEA and of gpsd, and the `PRN`, `gnssid` and `svid` of gpsd 3.22 for them.
    @Test(arguments: [
        (Constellation.gps, 7, "\"PRN\":7,\"used\":true,\"gnssid\":0,\"svid\":7"),
        (.sbas, 33, "\"PRN\":120,\"used\":true,\"gnssid\":1,\"svid\":120"),
        (.glonass, 66, "\"PRN\":66,\"used\":true,\"gnssid\":6,\"svid\":2"),
        (.galileo, 12, "\"PRN\":312,\"used\":true,\"gnssid\":2,\"svid\":12"),
        (.galileo, 312, "\"PRN\":312,\"used\":true,\"gnssid\":2,\"svid\":12"),
        (.beidou, 14, "\"PRN\":414,\"used\":true,\"gnssid\":3,\"svid\":14"),
        (.qzss, 193, "\"PRN\":193,\"used\":true,\"gnssid\":5,\"svid\":1"),
        (.unknown, 250, "\"PRN\":250,\"used\":true"),
    ])
    func numbersSatellitesAsGPSDDoes(constellation: Constellation, number: Int, expected: String) {
        let view = SkyView(time: nil, satellites: [SatelliteView(constellation: constellation, number: number, isUsed: true)])
        let line = String(decoding: GPSDWriter(device: "x").sky(view), as: UTF8.self)
        #expect(line == "{\"class\":\"SKY\",\"device\":\"x\",\"nSat\":1,\"uSat\":1,\"satellites\":[{\(expected)}]}\r\n")
    }
}
