import Glibc

/// An address and a port on which a program listens: `127.0.0.1:7575`, `[::1]:7575`, `0.0.0.0:10110`.
///
/// The host is an IP address or `localhost`: another name could mean any interface.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host, without brackets: an IPv4 or IPv6 address.
    package let host: String
    /// The port, 1 to 65535.
    package let port: Int

    /// Reads an address; nil when it is not one.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard ListenAddress.isIPv6(host) else { return nil }
        } else if host == "localhost" {
            host = "127.0.0.1"
        } else if !ListenAddress.isIPv4(host) {
            return nil
        }
        (self.host, self.port) = (host, Int(port))
    }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool { LoopbackHost.contains(host) }

    /// Whether it stands for every address of this machine.
    package var isEveryAddress: Bool { host == "0.0.0.0" || host == "::" }

    /// Whether of two programs that listen on both the second one is refused.
    ///
    /// `0.0.0.0` stands for every IPv4 address, and `::` for every address of both kinds, as Linux has it by default.
    package func keepsOut(_ other: ListenAddress) -> Bool {
        guard port == other.port else { return false }
        let (one, other) = (mappedBytes, other.mappedBytes)
        let all = ListenAddress.everyAddress
        if one == all || other == all || one == other { return true }
        let every = ListenAddress.everyIPv4Address
        let prefix = every.prefix(12)
        return (one == every || other == every) && one.prefix(12) == prefix && other.prefix(12) == prefix
    }

    private static let everyAddress = [UInt8](repeating: 0, count: 16)
    /// `::ffff:0.0.0.0`.
    private static let everyIPv4Address = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 0, 0, 0, 0]

    /// The address as one of IPv6.
    private var mappedBytes: [UInt8] {
        var address = in6_addr()
        inet_pton(AF_INET6, host.utf8.contains(UInt8(ascii: ":")) ? host : "::ffff:\(host)", &address)
        return withUnsafeBytes(of: address, Array.init)
    }

    /// Who reaches it, after "everybody in": `the network of 192.168.1.20`.
    package var networkWords: String { isEveryAddress ? "every network of this machine" : "the network of \(host)" }

    /// `127.0.0.1:7575`, `[::1]:7575`.
    package var description: String { (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(port)" }

    /// Whether a text is an IPv4 address of four numbers.
    package static func isIPv4(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit) && UInt8(part) != nil }
    }

    /// Whether a text is an IPv6 address, without a zone.
    package static func isIPv6(_ text: some StringProtocol) -> Bool {
        guard text.utf8.contains(UInt8(ascii: ":")), text.utf8.count <= 45 else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text), &address) == 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
