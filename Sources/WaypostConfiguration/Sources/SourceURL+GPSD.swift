extension SourceURL.GPSD {
    /// Reads `//HOST:PORT/DEVICE`, each part optional.
    init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        let parts = try SourceURL.Authority.split(text, scheme: "gpsd")
        host = parts.authority.host ?? host
        port = parts.authority.port ?? port
        if parts.rest.count > 1 { device = try PercentCoding.decode(parts.rest) }
    }

    var urlText: String { "gpsd://\(SourceURL.Authority.text(host: host, port: port))" + (device.map(PercentCoding.encode) ?? "") }
}
