import Testing
import Waypost

/// Who may use which way, as the wiki of OpenStreetMap has it.
@Suite struct OSMTagsTests {
    private struct Row: Sendable {
        var tags: [(String, String)]
        /// For car, foot and bicycle: `+` both ways, `>` along, `<` against, `-` not at all; then `l` where a car may only arrive.
        var use: String

        init(_ use: String, _ tags: (String, String)...) {
            (self.tags, self.use) = (tags, use)
        }
    }

    private static let rows: [Row] = [
        Row("+++", ("highway", "residential")),
        Row(">--", ("highway", "motorway")),
        Row(">--", ("highway", "motorway_link"), ("oneway", "yes")),
        Row("+--", ("highway", "trunk"), ("motorroad", "yes")),
        Row(">+>", ("highway", "primary"), ("oneway", "yes")),
        Row("<+<", ("highway", "primary"), ("oneway", "-1")),
        Row(">++", ("highway", "residential"), ("oneway", "yes"), ("oneway:bicycle", "no")),
        Row(">++", ("highway", "residential"), ("oneway", "yes"), ("cycleway", "opposite_lane")),
        Row(">+>", ("highway", "tertiary"), ("junction", "roundabout")),
        Row("+++l", ("highway", "residential"), ("access", "destination")),
        Row("+--l", ("highway", "service"), ("access", "private")),
        Row("-++", ("highway", "residential"), ("motor_vehicle", "no")),
        Row("+++", ("highway", "residential"), ("access", "no"), ("motor_vehicle", "yes"), ("foot", "yes"), ("bicycle", "yes")),
        Row("+++l", ("highway", "track")),
        Row("+++", ("highway", "track"), ("motor_vehicle", "yes")),
        Row("-+-", ("highway", "footway")),
        Row("-++", ("highway", "footway"), ("bicycle", "yes")),
        Row("--+", ("highway", "cycleway")),
        Row("-++", ("highway", "cycleway"), ("foot", "designated")),
        Row("-++", ("highway", "path")),
        Row("-+-", ("highway", "steps")),
        Row("-+-", ("highway", "pedestrian")),
        Row("+++", ("route", "ferry")),
        Row("-++", ("route", "ferry"), ("motor_vehicle", "no")),
    ]

    @Test func knowsWhoMayUseAWay() throws {
        for row in OSMTagsTests.rows {
            var tags = OSMTags()
            for (key, value) in row.tags { tags.add(key, value) }
            let way = try #require(tags.way(number: 1), "\(row.tags)")
            var use = TravelMode.allCases.map { mode in
                switch (way.isOpen(for: mode, forward: true), way.isOpen(for: mode, forward: false)) {
                case (true, true): "+"
                case (true, false): ">"
                case (false, true): "<"
                case (false, false): "-"
                }
            }.joined()
            if way.isLimited { use += "l" }
            #expect(use == row.use, "\(row.tags)")
        }
    }

    @Test(arguments: ["construction", "proposed", "platform", "raceway", "bus_guideway", "corridor", "no"])
    func takesNoRoadThatIsNone(highway: String) {
        #expect(OSMTags(["highway": highway]).way(number: 1) == nil)
    }

    @Test func takesNoAreaAndNoClosedRoad() {
        #expect(OSMTags(["highway": "pedestrian", "area": "yes"]).way(number: 1) == nil)
        #expect(OSMTags(["highway": "service", "access": "no"]).way(number: 1) == nil)
        #expect(OSMTags(["building": "yes"]).way(number: 1) == nil)
    }

    @Test func readsSpeeds() {
        func speed(_ tags: KeyValuePairs<String, String>) -> UInt8? { OSMTags(tags).way(number: 1)?.kilometresPerHour }
        #expect(speed(["highway": "primary", "maxspeed": "100"]) == 100)
        #expect(speed(["highway": "primary", "maxspeed": "40 mph"]) == 64)
        #expect(speed(["highway": "motorway", "maxspeed": "none"]) == 130)
        #expect(speed(["highway": "living_street", "maxspeed": "walk"]) == 7)
        #expect(speed(["highway": "residential", "maxspeed": "signals"]) == 30)
        #expect(speed(["highway": "residential", "maxspeed": "1e9"]) == 30)
        #expect(speed(["highway": "motorway_link"]) == 72)
    }

    @Test func knowsWhomABarrierStops() {
        #expect(OSMTags(["barrier": "bollard"]).closedModes == [.car])
        #expect(OSMTags(["barrier": "gate"]).closedModes == [])
        #expect(OSMTags(["barrier": "gate", "access": "private"]).closedModes == [.car])
        #expect(OSMTags(["barrier": "gate", "access": "no"]).closedModes == [.car, .foot, .bicycle])
        #expect(OSMTags(["barrier": "stile"]).closedModes == [.car, .bicycle])
        #expect(OSMTags(["barrier": "toll_booth"]).closedModes == [])
        #expect(OSMTags(["highway": "crossing"]).closedModes == [])
    }

    @Test func readsTurnRestrictions() {
        let members = [
            OSMTags.Member(isNode: false, isWay: true, number: 1, role: "from"),
            OSMTags.Member(isNode: true, isWay: false, number: 2, role: "via"),
            OSMTags.Member(isNode: false, isWay: true, number: 3, role: "to"),
        ]
        #expect(
            OSMTags(["type": "restriction", "restriction": "no_left_turn"]).restrictions(members)
                == [TurnRestriction(from: 1, via: 2, to: 3)])
        #expect(
            OSMTags(["type": "restriction", "restriction": "only_straight_on", "except": "bicycle"]).restrictions(members)
                == [TurnRestriction(from: 1, via: 2, to: 3, isOnly: true, modes: [.car])])
        #expect(OSMTags(["type": "restriction", "restriction": "no_u_turn"]).restrictions(members).map(\.isUTurn) == [true])
        #expect(OSMTags(["type": "restriction", "restriction": "no_left_turn"]).restrictions(Array(members.dropLast())) == [])
        #expect(OSMTags(["type": "multipolygon"]).restrictions(members) == [])
    }
}
