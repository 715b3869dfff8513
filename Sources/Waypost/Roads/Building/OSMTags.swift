/// The tags of an object of OpenStreetMap, and what they mean for travelling.
///
/// - Source: the wiki's pages on access, `highway`, `oneway`, `barrier` and `restriction`
///   (https://wiki.openstreetmap.org/wiki/Key:access); where they leave a default to the country, Germany's.
public struct OSMTags: Sendable {
    private var pairs: [(key: String, value: String)] = []

    /// Creates an object without tags.
    public init() {}

    /// Creates the tags of an object.
    public init(_ pairs: KeyValuePairs<String, String>) {
        for (key, value) in pairs { self.pairs.append((key, value)) }
    }

    /// Adds a tag.
    public mutating func add(_ key: String, _ value: String) { pairs.append((key, value)) }

    /// The value of a key; nil without such a tag.
    public subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

    /// The first of these keys that is set.
    private func first(_ keys: String...) -> String? {
        for key in keys { if let value = self[key] { return value } }
        return nil
    }

    /// How far the public may go.
    private enum Access {
        case open, limited, closed
    }

    private static func access(_ value: String?) -> Access? {
        switch value {
        case "yes", "designated", "permissive", "official", "dismount": .open
        case "no", "use_sidepath", "military", "emergency", "bus", "psv": .closed
        case "private", "destination", "customers", "delivery", "agricultural", "forestry", "permit", "residents", "discouraged": .limited
        default: nil
        }
    }

    // MARK: Ways

    /// The way that these tags describe; nil when it is no road, or nobody may use it.
    public func way(number: Int64) -> RoadWay? {
        let isFerry = self["route"] == "ferry"
        let highway = self["highway"]
        guard let roadClass = isFerry ? .ferry : highway.flatMap(RoadClass.init(highway:)), self["area"] != "yes" else { return nil }

        var use: UInt8 = 0
        let direction = self.direction(roadClass)
        switch carAccess(roadClass) {
        case .closed: break
        case .limited: use |= bits(.car, direction) | RoadFileLayout.limitedBit
        case .open: use |= bits(.car, direction)
        }
        if isOpenOnFoot(roadClass) { use |= bits(.foot, 0) }
        if isOpenToBicycles(roadClass) { use |= bits(.bicycle, bicycleDirection(direction)) }
        guard use & 0b11_1111 != 0 else { return nil }

        var kind: RoadKind = []
        if let tunnel = self["tunnel"], tunnel != "no" { kind.insert(.tunnel) }
        if let bridge = self["bridge"], bridge != "no" { kind.insert(.bridge) }
        if isRoundabout { kind.insert(.roundabout) }
        if highway?.hasSuffix("_link") == true { kind.insert(.link) }
        if direction != 0 { kind.insert(.oneWay) }
        return RoadWay(
            number: number, roadClass: roadClass, name: first("name", "ref") ?? "", kilometresPerHour: speed(roadClass, kind), kind: kind,
            layer: self["layer"].flatMap { Int8($0) } ?? 0, use: use)
    }

    private func bits(_ mode: TravelMode, _ direction: Int) -> UInt8 {
        (direction >= 0 ? mode.forwardBit : 0) | (direction <= 0 ? mode.forwardBit << 1 : 0)
    }

    private var isRoundabout: Bool { self["junction"] == "roundabout" || self["junction"] == "circular" }

    /// 1 along the nodes, -1 against them, 0 both.
    private func direction(_ roadClass: RoadClass) -> Int {
        switch self["oneway"] {
        case "yes", "1", "true": 1
        case "-1", "reverse": -1
        case "no", "0", "false": 0
        default: isRoundabout || self["highway"] == "motorway" ? 1 : 0
        }
    }

    private func bicycleDirection(_ direction: Int) -> Int {
        if self["oneway:bicycle"] == "no" { return 0 }
        if first("cycleway", "cycleway:left", "cycleway:both")?.hasPrefix("opposite") == true { return 0 }
        return direction
    }

    private func carAccess(_ roadClass: RoadClass) -> Access {
        let said = Self.access(first("motorcar", "motor_vehicle", "vehicle", "access"))
        switch roadClass {
        case .motorway, .trunk, .primary, .secondary, .tertiary, .unclassified, .residential, .livingStreet, .service, .road, .ferry:
            return said ?? .open
        case .track: return said == .open ? .open : said ?? .limited
        case .pedestrian, .cycleway, .footway, .path, .bridleway:
            // Of these, access=yes is for those for whom they are made.
            switch Self.access(first("motorcar", "motor_vehicle")) {
            case .open: return .open
            case .limited: return .limited
            default: return .closed
            }
        case .steps: return .closed
        }
    }

    private func isOpenOnFoot(_ roadClass: RoadClass) -> Bool {
        if let said = Self.access(self["foot"]) { return said == .open || said == .limited && self["foot"] != "private" }
        switch roadClass {
        case .motorway, .trunk, .cycleway, .bridleway: return false
        default: break
        }
        switch self["access"] {
        case "no", "private", "agricultural", "forestry", "military", "emergency", "permit": return false
        default: return self["motorroad"] != "yes"
        }
    }

    private func isOpenToBicycles(_ roadClass: RoadClass) -> Bool {
        if let said = Self.access(self["bicycle"]) { return said == .open || said == .limited && self["bicycle"] != "private" }
        switch roadClass {
        case .motorway, .footway, .pedestrian, .steps, .bridleway: return false
        case .trunk where self["motorroad"] == "yes": return false
        default: break
        }
        switch first("vehicle", "access") {
        case "no", "private", "agricultural", "forestry", "military", "emergency", "permit": return false
        default: return self["motorroad"] != "yes"
        }
    }

    private func speed(_ roadClass: RoadClass, _ kind: RoadKind) -> UInt8 {
        if let text = self["maxspeed"] {
            let words = text.split(separator: " ")
            if let number = words.first.flatMap({ Double($0) }), number >= 5, number <= 400 {
                return UInt8(min(255, (words.count > 1 && words[1] == "mph" ? number * 1.609344 : number).rounded()))
            }
            if text == "walk" || text.hasSuffix(":walk") || text.hasSuffix(":living_street") { return 7 }
            if text == "none" { return 130 }
        }
        // Ramps are curved and short.
        return kind.contains(.link) ? roadClass.usualKilometresPerHour / 3 * 2 : roadClass.usualKilometresPerHour
    }

    // MARK: Nodes

    /// The modes that cannot pass a node with these tags.
    public var closedModes: Set<TravelMode> {
        guard let barrier = self["barrier"] else { return [] }
        var closed: Set<TravelMode> = []
        let general = Self.access(self["access"])
        let car = Self.access(first("motorcar", "motor_vehicle", "vehicle"))
        switch barrier {
        case "toll_booth", "border_control", "cattle_grid", "entrance", "kerb", "height_restrictor", "gate", "lift_gate", "swing_gate",
            "sliding_gate", "sally_port":
            if let said = car ?? general, said != .open { closed.insert(.car) }
        default: if car != .open { closed.insert(.car) }
        }
        if let said = Self.access(self["foot"]) ?? general, said == .closed { closed.insert(.foot) }
        switch Self.access(self["bicycle"]) ?? general {
        case .closed: closed.insert(.bicycle)
        case nil where ["kissing_gate", "stile", "turnstile", "full-height_turnstile"].contains(barrier): closed.insert(.bicycle)
        default: break
        }
        return closed
    }

    // MARK: Relations

    /// A member of a relation.
    public struct Member: Sendable {
        /// The kind of object.
        public var isNode, isWay: Bool
        /// Its number.
        public var number: Int64
        /// What it is there for.
        public var role: String

        /// Creates a member from its parts.
        public init(isNode: Bool, isWay: Bool, number: Int64, role: String) {
            self.isNode = isNode
            self.isWay = isWay
            self.number = number
            self.role = role
        }
    }

    /// The turn restrictions that a relation with these tags states; none for other relations, and for turns over more than a node.
    public func restrictions(_ members: [Member]) -> [TurnRestriction] {
        guard self["type"] == "restriction",
            let value = first("restriction", "restriction:motorcar", "restriction:motor_vehicle"),
            value.hasPrefix("no_") || value.hasPrefix("only_"),
            let via = members.first(where: { $0.role == "via" && $0.isNode })?.number
        else { return [] }
        var modes: Set<TravelMode> = self["restriction"] == nil ? [.car] : [.car, .bicycle]
        for word in (self["except"] ?? "").split(separator: ";") {
            switch word.split(separator: " ").joined() {
            case "bicycle": modes.remove(.bicycle)
            case "motorcar", "motor_vehicle": modes.remove(.car)
            default: break
            }
        }
        guard !modes.isEmpty else { return [] }
        let from = members.filter { $0.role == "from" && $0.isWay }
        let to = members.filter { $0.role == "to" && $0.isWay }
        return from.flatMap { from in
            to.map { to in
                TurnRestriction(
                    from: from.number, via: via, to: to.number, isOnly: value.hasPrefix("only_"), isUTurn: value.hasSuffix("u_turn"),
                    modes: modes)
            }
        }
    }
}
