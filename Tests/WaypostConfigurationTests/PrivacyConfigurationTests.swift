import Testing
import Waypost
import WaypostConfiguration

@Suite struct PrivacyConfigurationTests {
    @Test(arguments: [("0.25 km", 250), ("1000ft", 304.8), ("2 mi", 3_218.688), ("1nmi", 1_852)])
    func readsDistancesInTheirUnits(text: String, metres: Double) throws {
        let privacy = try readConfiguration("[privacy]\nzones = [\"1, 2, \(text)\"]").configuration.privacy
        #expect(privacy.zones.map(\.radiusMetres) == [metres])
    }

    @Test func readsZonesAsTextAndAsTables() throws {
        let texts = try readConfiguration(
            """
            [privacy]
            zones = ["home: 52.51702, 13.38886, 250 m", "-48.2082,-16.3738,1.5km"]
            inside = "coarse"
            """
        ).configuration.privacy
        #expect(texts.zones.map(\.name) == ["home", "zone 2"])
        #expect(texts.zones.map(\.radiusMetres) == [250, 1_500])
        #expect(texts.zones[1].centre == Coordinate(latitudeDegrees: -48.2082, longitudeDegrees: -16.3738))
        #expect(texts.inside == .coarse)

        let tables = try readConfiguration(
            """
            [[privacy.zones]]
            name = "home"
            latitude = 52.51702
            longitude = 13.38886
            radius = "250 m"
            [[privacy.zones]]
            latitude = -48
            longitude = -16
            radius = 1500
            """
        ).configuration.privacy
        #expect(tables.zones[0] == texts.zones[0])
        #expect(tables.zones[1].name == "zone 2" && tables.zones[1].radiusMetres == 1_500)
        #expect(tables.inside == .nothing)
    }

    @Test(arguments: [
        (#"zones = "home""#, "must be a list of zones"),
        (#"zones = ["home"]"#, #"is not "NAME: LATITUDE, LONGITUDE, RADIUS""#),
        (#"zones = ["a: 1, 2, 100 m", "b: 91, 2, 100 m"]"#, "zone 2: 91.0, 2.0 is not on the earth"),
        (#"zones = ["a: 1, 2, 10 m", "b: 91, 2, 100 m"]"#, "from 50 m to 100 km; zone 2: 91.0, 2.0 is not on the earth"),
        (#"zones = ["a: 1, 2, 10 m"]"#, "zone 1: its radius must be from 50 m to 100 km"),
        (#"zones = ["a: 1, 2, 3 miles"]"#, "zone 1: its radius has the unknown unit"),
        (#"zones = ["a: 1, 2, 100", "a: 3, 4, 100"]"#, "has two zones with the name"),
        ("zones = [{ latitude = 1, longitude = 2 }]", "zone 1: needs latitude and longitude in degrees, and a radius"),
        ("zones = [{ lat = 1, longitude = 2, radius = 100 }]", "zone 1: has no key"),
        (#"inside = "something""#, #"must be "nothing" or "coarse""#),
    ])
    func saysWhatIsWrongWithAZone(line: String, expected: String) {
        let found = mistakes(in: "[privacy]\n\(line)\n")
        #expect(found.count == 1)
        #expect(found.first?.contains(expected) == true, "\(found)")
        #expect(found.first?.hasPrefix("waypost.toml:2:") == true)
    }

    @Test func readsHowTheLogIsThinned() throws {
        let log = try readConfiguration(
            """
            [log]
            min_distance = "0.1 km"
            min_interval = "30 s"
            min_turn = 15
            heartbeat = "2 min"
            """
        ).configuration.log
        #expect(
            log.minDistanceMetres == 100 && log.minInterval == .seconds(30) && log.minTurnDegrees == 15 && log.heartbeat == .seconds(120))
    }

    @Test(arguments: ["min_distance = \"10 min\"", "min_distance = -1", "min_turn = 200", "min_turn = \"20\"", "heartbeat = \"1 h\""])
    func refusesThinningThatMakesNoSense(line: String) {
        #expect(mistakes(in: "[log]\n\(line)\n").count == 1)
    }
}
