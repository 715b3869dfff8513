/// A kind of source that is only a host and a port: `SCHEME://HOST:PORT`, each part optional.
package protocol NetworkKind: SourceKind {
    /// Name or address; IPv6 addresses without brackets.
    var host: String { get set }
    /// The port.
    var port: UInt16 { get set }
    /// The usual host and port.
    init()
}

extension NetworkKind {
    /// The given host and port.
    package init(host: String, port: UInt16 = NMEATCPSource.registeredPort) {
        self.init()
        (self.host, self.port) = (host, port)
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        let authority = try URLAuthority.end(text, scheme: Self.scheme)
        host = authority.host ?? host
        port = authority.port ?? port
    }

    package var afterScheme: String { "//" + URLAuthority.text(host: host, port: port) }
}
