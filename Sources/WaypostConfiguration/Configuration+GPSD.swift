import WaypostPositioning

extension Configuration {
    /// The ports on which gpsds of this machine listen: gpsd's own, and those of the sources on this machine.
    package var localGPSDPorts: [UInt16] {
        var ports = [GPSDKind.usualPort]
        for gpsd in sources.compactMap({ $0.url.kind as? GPSDKind }) where gpsd.isLocal && !ports.contains(gpsd.port) {
            ports.append(gpsd.port)
        }
        return ports
    }
}
