/// NMEA 0183 from a TCP server: `nmea-tcp://HOST:PORT`, every part optional.
package struct NMEATCPKind: NetworkKind {
    package static let scheme = "nmea-tcp"
    package static let forms = ["nmea-tcp://HOST:PORT"]
    package static let documentation = "NMEA from a TCP server"
    package static let isClock = true

    package var host = "localhost"
    package var port = NMEATCPSource.registeredPort

    package init() {}

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { NMEATCPSource(host: host, port: port) }
}
