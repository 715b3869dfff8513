/// NMEA 0183 from a TCP server: `nmea-tcp://HOST:PORT`, every part optional.
package struct NMEATCPKind: SourceKind {
    package static let scheme = "nmea-tcp"
    package static let forms = ["nmea-tcp://HOST:PORT"]
    package static let documentation = "NMEA from a TCP server"
    package static let isClock = true

    /// Name or address; IPv6 addresses without brackets.
    package var host: String
    /// The port.
    package var port: UInt16

    /// A host and a port.
    package init(host: String = "localhost", port: UInt16 = NMEATCPSource.registeredPort) {
        (self.host, self.port) = (host, port)
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        let authority = try URLAuthority.end(text, scheme: Self.scheme)
        host = authority.host ?? host
        port = authority.port ?? port
    }

    package var afterScheme: String { "//" + URLAuthority.text(host: host, port: port) }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { NMEATCPSource(host: host, port: port) }
}
