import Waypost
import WaypostPositioning
import WaypostSystem

extension LoadedConfiguration {
    /// Sources that are doors of this tracker itself: its own positions would come back to it.
    var mistakesOfOwnDoors: [ConfigurationError] {
        entries.compactMap { entry in
            guard entry.section == "[[source]]", entry.key == "url", let origin = entry.origin,
                entry.occurrence < configuration.sources.count
            else { return nil }
            let url = configuration.sources[entry.occurrence].url
            guard let (key, door) = ownDoor(of: url.kind) else { return nil }
            let reason =
                "\(url) is this tracker's own [share] \(key) (\(door)), and its positions would come back to it; name the receiver, "
                + "or the gpsd that has it"
            return ConfigurationError(
                file: origin.file, place: origin.place, kind: .invalidValue(section: "[[source]]", key: "url", reason: reason))
        }
    }

    /// The door that a source is, with its key; nil when it is none.
    private func ownDoor(of kind: any SourceKind) -> (key: String, address: ListenAddress)? {
        let share = configuration.share
        switch kind {
        case let kind as GPSDKind: return listener(at: kind.host, kind.port)
        case let kind as NMEATCPKind: return listener(at: kind.host, kind.port)
        case let kind as NMEAUDPKind:
            // Where datagrams are sent may be another machine.
            guard let door = share.nmeaUDP, door.isLoopback || door.isEveryAddress || ["255.255.255.255", kind.host].contains(door.host),
                LoadedConfiguration.addresses(kind.host, kind.port).contains(where: door.keepsOut)
            else { return nil }
            return ("nmea_udp", door)
        default: return nil
        }
    }

    /// The door that a connection reaches.
    private func listener(at host: String, _ port: UInt16) -> (key: String, address: ListenAddress)? {
        let addresses = LoadedConfiguration.addresses(host, port)
        let doors = [("gpsd", configuration.share.gpsd), ("nmea", configuration.share.nmea)]
        return doors.compactMap { key, address in address.map { (key, $0) } }.first { _, door in addresses.contains(where: door.keepsOut) }
    }

    /// The addresses of a host as far as they are known without looking anything up.
    private static func addresses(_ host: String, _ port: UInt16) -> [ListenAddress] {
        let hosts = host == "localhost" ? ["127.0.0.1", "[::1]"] : [host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host]
        return hosts.compactMap { ListenAddress("\($0):\(port)") }
    }
}
