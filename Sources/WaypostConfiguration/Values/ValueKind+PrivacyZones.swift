import Waypost

extension ValueKind<[PrivacyZone]> {
    /// Privacy zones, each a table or a text.
    ///
    /// ```toml
    /// zones = ["home: 52.51702, 13.38886, 250 m", "48.2082, 16.3738, 1 km"]
    ///
    /// [[privacy.zones]]
    /// name = "home"
    /// latitude = 52.51702
    /// longitude = 13.38886
    /// radius = "250 m"
    /// ```
    /// A zone without a name has an empty one until ``PrivacyZone/adding(_:_:)`` numbers it.
    static var privacyZones: ValueKind {
        ValueKind(
            unit: nil,
            schema: .list(.textOrTable(["name", "latitude", "longitude", "radius"])),
            read: { (node) throws(ValueProblem) in
                guard case .array(let elements) = node.value else { throw .wrongType(expected: PrivacyZoneReader.form) }
                var (zones, reasons) = ([PrivacyZone](), [String]())
                for (index, element) in elements.enumerated() {
                    do throws(ValueProblem) {
                        let zone = try PrivacyZoneReader(number: index + 1).zone(element)
                        if !zone.name.isEmpty, zones.contains(where: { $0.name == zone.name }) {
                            reasons.append("has two zones with the name \(quoted(zone.name))")
                        }
                        zones.append(zone)
                    } catch {
                        guard case .invalid(let reason) = error else { throw error }
                        reasons.append(reason)
                    }
                }
                guard reasons.isEmpty else { throw .invalid(reason: reasons.joined(separator: "; ")) }
                return zones
            },
            write: { zones in
                let texts = zones.map { zone in
                    let radius = DistanceText.text(zone.radiusMetres)
                    return tomlString("\(zone.name): \(zone.centre.latitudeDegrees), \(zone.centre.longitudeDegrees), \(radius)")
                }
                return "[\(texts.joined(separator: ", "))]"
            })
    }
}

extension PrivacyZone {
    /// The zones of earlier files with those of one more: all count, but one with the same name replaces the earlier one.
    ///
    /// A zone without a name is called by its place in its file: `zone 2`, or by the next number that no other zone has.
    @Sendable static func adding(_ earlier: [PrivacyZone], _ more: [PrivacyZone]) -> [PrivacyZone] {
        var taken = Set((earlier + more).map(\.name))
        var named = more
        for index in named.indices where named[index].name.isEmpty {
            var number = index + 1
            while !taken.insert("zone \(number)").inserted { number += 1 }
            named[index].name = "zone \(number)"
        }
        let replaced = Set(more.map(\.name))
        return earlier.filter { !replaced.contains($0.name) } + named
    }
}

extension ValueKind<PrivacyGate.Inside> {
    /// What happens to positions inside a zone.
    static var insideZones: ValueKind {
        let words = PrivacyGate.Inside.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return ValueKind(
            unit: words,
            schema: .choice(PrivacyGate.Inside.allCases.map(\.rawValue)),
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: words) }
                guard let inside = PrivacyGate.Inside(rawValue: text) else { throw .invalid(reason: "must be \(words)") }
                return inside
            },
            write: { tomlString($0.rawValue) })
    }
}

/// Reads one zone.
private struct PrivacyZoneReader {
    static let form = "a list of zones, each \"NAME: LATITUDE, LONGITUDE, RADIUS\" or { name, latitude, longitude, radius }"
    private static let radii = PrivacyZone.smallestRadiusMetres...PrivacyZone.largestRadiusMetres

    /// Its place in the list, from 1.
    let number: Int

    func zone(_ node: TOMLNode) throws(ValueProblem) -> PrivacyZone {
        switch node.value {
        case .string(let text): try zone(text, at: node.place)
        case .table(let entries): try zone(entries)
        default: throw .wrongType(expected: PrivacyZoneReader.form)
        }
    }

    private func zone(_ text: String, at place: TextPlace) throws(ValueProblem) -> PrivacyZone {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.count == 2 ? trimmed(parts[0]) : nil
        let values = (parts.last ?? "").split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard values.count == 3, let latitude = Double(values[0]), let longitude = Double(values[1]) else {
            throw invalid("is not \"NAME: LATITUDE, LONGITUDE, RADIUS\"")
        }
        return try zone(
            name: name, latitude: latitude, longitude: longitude, radius: TOMLNode(value: .string(values[2]), place: place))
    }

    private func zone(_ entries: [TOMLMember]) throws(ValueProblem) -> PrivacyZone {
        let known = ["name", "latitude", "longitude", "radius"]
        if let unknown = entries.first(where: { !known.contains($0.key) }) {
            throw invalid("has no key \(quoted(unknown.key)); known: \(known.joined(separator: ", "))")
        }
        func node(_ key: String) -> TOMLNode? { entries.first { $0.key == key }?.node }
        var name: String?
        if let node = node("name") {
            guard case .string(let text) = node.value else { throw invalid("its name must be a text") }
            name = text
        }
        guard let latitude = node("latitude")?.number, let longitude = node("longitude")?.number, let radius = node("radius") else {
            throw invalid("needs latitude and longitude in degrees, and a radius")
        }
        return try zone(name: name, latitude: latitude, longitude: longitude, radius: radius)
    }

    private func zone(name: String?, latitude: Double, longitude: Double, radius: TOMLNode) throws(ValueProblem) -> PrivacyZone {
        guard let centre = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw invalid("\(latitude), \(longitude) is not on the earth: latitude -90 to 90, then longitude -180 to 180")
        }
        let metres: Double
        do throws(ValueProblem) {
            metres = try DistanceText.metres(radius, in: PrivacyZoneReader.radii)
        } catch {
            switch error {
            case .invalid(let reason): throw invalid("its radius \(reason)")
            case .wrongType(let expected): throw invalid("its radius must be \(expected)")
            }
        }
        return PrivacyZone(name: name ?? "", centre: centre, radiusMetres: metres)
    }

    private func invalid(_ words: String) -> ValueProblem { .invalid(reason: "zone \(number): \(words)") }

    private func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
