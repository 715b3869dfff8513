import WaypostPositioning

extension Configuration {
    /// Where gpsds of this machine listen: at gpsd's own port, and at those of the sources that name this machine.
    package var localGPSDPorts: [UInt16] {
        var ports = [GPSDKind.usualPort]
        for gpsd in sources.compactMap({ $0.url.kind as? GPSDKind }) where gpsd.isLocal && !ports.contains(gpsd.port) {
            ports.append(gpsd.port)
        }
        return ports
    }
}
