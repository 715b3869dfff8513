/// What GGA and GNS say of a fix: time, place, quality, satellites, altitude.
struct FixData {
    var millisecondOfDay: Int?
    /// The place; nil when the sentence reports that it is not valid.
    var coordinate: Coordinate?
    /// Whether the sentence states explicitly that there is no fix; an empty field states nothing.
    var saysNoFix: Bool
    var status: FixStatus
    var satellitesUsed: Int?
    var hdop: Double?
    var altitudeMSLMetres: Double?
    var geoidSeparationMetres: Double?
}
