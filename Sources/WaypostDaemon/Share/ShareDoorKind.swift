import WaypostConfiguration
import WaypostSystem

/// The ways in which positions are shared, as the keys of `[share]`.
enum ShareDoorKind: String, Sendable, CaseIterable {
    case gpsd
    case nmea
    case nmeaUDP = "nmea_udp"
    case nmeaSocket = "nmea_socket"

    /// Where a door is.
    enum Place: Sendable, Hashable {
        /// An address and a port.
        case address(ListenAddress)
        /// The path of a Unix socket.
        case path(String)
    }

    /// The place that the configuration gives it; nil when it is off.
    func place(in share: Configuration.Share) -> Place? {
        switch self {
        case .gpsd: share.gpsd.map(Place.address)
        case .nmea: share.nmea.map(Place.address)
        case .nmeaUDP: share.nmeaUDP.map(Place.address)
        case .nmeaSocket: share.nmeaSocket.map(Place.path)
        }
    }

    /// Whether what comes is NMEA alone.
    var isNMEA: Bool { self != .gpsd }
}

extension ShareDoorKind.Place: CustomStringConvertible {
    var description: String {
        switch self {
        case .address(let address): address.description
        case .path(let path): path
        }
    }
}
