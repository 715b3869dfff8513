import Waypost
import WaypostSystem

extension LoadedConfiguration {
    /// Doors of which one keeps the other from opening: the tracker would name itself as the program that has the port.
    var mistakesOfDoors: [ConfigurationError] {
        let (share, map) = (configuration.share, configuration.map)
        let addresses = [("[share]", "gpsd", share.gpsd), ("[share]", "nmea", share.nmea), ("[map]", "listen", map.listen)]
        let ports = addresses.compactMap { section, key, address in address.map { Door(section: section, key: key, place: $0) } }
        let paths = [
            ("[control]", "socket", configuration.control.socket), ("[share]", "nmea_socket", share.nmeaSocket),
            ("[map]", "socket", map.socket), ("[time]", "chrony_sock", configuration.time.chronySocket),
        ]
        let sockets = paths.compactMap { section, key, path in path.map { Door(section: section, key: key, place: $0) } }
        return mistakes(of: ports, advice: "choose another port") { $0.keepsOut($1) }
            + mistakes(of: sockets, advice: "choose another path") { one, other in
                LoadedConfiguration.parts(of: one) == LoadedConfiguration.parts(of: other)
            }
    }

    /// The parts of a path as it is written, without those that lead nowhere; links are not followed.
    private static func parts(of path: String) -> [Substring] {
        path.split(separator: "/").reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case ".." where parts.last.map { $0 != ".." } ?? path.hasPrefix("/"): _ = parts.popLast()
            default: parts.append(part)
            }
        }
    }

    /// A door that a key opens.
    private struct Door<Place: CustomStringConvertible> {
        var section: String
        var key: String
        var place: Place

        var name: String { "\(section) \(key)" }
    }

    /// A mistake for each door that another one keeps from opening, where it is written.
    private func mistakes<Place>(of doors: [Door<Place>], advice: String, areOne: (Place, Place) -> Bool) -> [ConfigurationError] {
        doors.indices.compactMap { index in
            guard let first = doors[..<index].first(where: { areOne($0.place, doors[index].place) }) else { return nil }
            // The one that a file sets; of a default nobody would find the place.
            let pair = [doors[index], first]
            guard let said = pair.first(where: { origins[$0.name] != nil }), let origin = origins[said.name] else { return nil }
            let other = said.name == first.name ? doors[index] : first
            let reason = "only one of \(said.place) and \(other.name) (\(other.place)) can be opened; \(advice)"
            return ConfigurationError(
                file: origin.file, place: origin.place, kind: .invalidValue(section: said.section, key: said.key, reason: reason))
        }
    }
}
