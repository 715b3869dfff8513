/// NMEA 0183 from datagrams that arrive at an address of this machine: `nmea-udp://ADDRESS:PORT`, every part optional.
package struct NMEAUDPKind: SourceKind {
    package static let scheme = "nmea-udp"
    package static let forms = ["nmea-udp://ADDRESS:PORT"]
    package static let documentation = "NMEA in datagrams to an address of this machine"
    package static let isClock = true

    /// Name or address; IPv6 addresses without brackets.
    package var host: String
    /// The port.
    package var port: UInt16

    /// A host and a port.
    package init(host: String = "127.0.0.1", port: UInt16 = NMEATCPSource.registeredPort) {
        (self.host, self.port) = (host, port)
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        let authority = try URLAuthority.end(text, scheme: Self.scheme)
        host = authority.host ?? host
        port = authority.port ?? port
    }

    package var afterScheme: String { "//" + URLAuthority.text(host: host, port: port) }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { NMEAUDPSource(address: host, port: port) }
}
