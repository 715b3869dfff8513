import WaypostSystem

/// A gpsd, or one of its devices: `gpsd://HOST:PORT[/DEVICE]`, every part optional.
package struct GPSDKind: SourceKind {
    package static let scheme = "gpsd"
    package static let forms = ["gpsd://HOST:PORT[/DEVICE]"]
    package static let documentation = "a gpsd, and all its receivers or one"
    package static let isClock = true
    package static let keys: Set<String> = ["gpsd_user"]

    /// gpsd's own port.
    package static let usualPort: UInt16 = 2_947

    /// Name or address of the host; IPv6 addresses without brackets.
    package var host: String
    /// The TCP port.
    package var port: UInt16
    /// The device as gpsd knows it (`/dev/ttyACM0`); nil accepts every device.
    package var device: String?

    /// A daemon; by default the one on this machine.
    package init(host: String = "localhost", port: UInt16 = usualPort, device: String? = nil) {
        (self.host, self.port, self.device) = (host, port, device)
    }

    /// The daemon of the source with that name; that of this machine when it is another source.
    package init(ofSource name: String) {
        self = (try? SourceURL(name))?.kind as? GPSDKind ?? GPSDKind()  // See above.
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        self.init()
        let parts = try URLAuthority.split(
            text, scheme: Self.scheme, hint: "a '?' in a device's name is written %3F")
        host = parts.authority.host ?? host
        port = parts.authority.port ?? port
        if parts.rest.count > 1 { device = try PercentCoding.decode(parts.rest) }
    }

    package var afterScheme: String { "//\(URLAuthority.text(host: host, port: port))" + (device.map(PercentCoding.encode) ?? "") }

    /// Whether the host is this machine by its name or address, without looking anything up.
    package var isLocal: Bool { LoopbackHost.contains(host) }

    /// Whether it is the gpsd of this machine that Debian starts.
    package var isUsual: Bool { isLocal && port == GPSDKind.usualPort }

    /// Shows what it gets from its receivers; the program is in the package gpsd-clients.
    package var showCommand: String { "gpspipe -r -n 5" + (isUsual ? "" : " \(URLAuthority.text(host: host, port: port))") }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource {
        GPSDSource(host: host, port: port, device: device, user: settings.gpsdUser)
    }
}
