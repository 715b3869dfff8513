extension Configuration {
    /// Where gpsds of this machine listen: at gpsd's own port, and at those of the sources that name this machine.
    public var localGPSDPorts: [Int] {
        var ports = [SourceURL.GPSD().port]
        for case .gpsd(let gpsd) in sources.map(\.url) where gpsd.isLocal && !ports.contains(gpsd.port) { ports.append(gpsd.port) }
        return ports
    }
}

extension SourceURL.GPSD {
    /// Whether the host is this machine by its name or address, without looking anything up.
    public var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
