import Waypost
import WaypostControl

/// The road on which the device is, in words.
struct RoadWords {
    private let match: MatchedLine
    private let units: UnitSystem

    init(_ match: MatchedLine, _ units: UnitSystem) { (self.match, self.units) = (match, units) }

    /// `on Hauptstraße (primary, 50 km/h, one-way, way 7)`, or that it is on none.
    var text: String {
        guard match.position != nil, let road = match.road else { return "off the roads" }
        let parts = [
            road.name == nil ? nil : road.roadClass, road.kilometresPerHour.map { units.speedLimit(Double($0) / 3.6) },
            road.isOneWay == true ? "one-way" : nil, "way \(road.wayID)",
        ].compactMap { $0 }
        let words = "\(road.name ?? road.roadClass ?? "a road") (\(parts.joined(separator: ", ")))"
        return printable("\(match.isConfident ? "on" : "perhaps on") \(words)")
    }

    /// The same with what is known of the match: `..., 3 m off, 97 %`.
    var detail: String {
        guard let offset = match.offsetMetres, let confidence = match.confidence else { return text }
        return "\(text), \(units.distance(offset.rounded())) from the fix, \(Int((confidence * 100).rounded())) %"
    }
}
