/// NMEA 0183 from datagrams that arrive at an address of this machine: `nmea-udp://ADDRESS:PORT`, every part optional.
package struct NMEAUDPKind: NetworkKind {
    package static let scheme = "nmea-udp"
    package static let forms = ["nmea-udp://ADDRESS:PORT"]
    package static let documentation = "NMEA in datagrams to an address of this machine"
    package static let isClock = true

    package var host = "127.0.0.1"
    package var port = NMEATCPSource.registeredPort

    package init() {}

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { NMEAUDPSource(address: host, port: port) }
}
