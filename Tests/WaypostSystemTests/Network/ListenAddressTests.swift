import Glibc
import Testing

@testable import WaypostSystem

/// Which addresses keep each other out, as the kernel of this machine has it.
@Suite(.serialized) struct ListenAddressTests {
    private static let hosts = [
        "127.0.0.1", "127.0.0.2", "0.0.0.0", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:0.0.0.0]",
    ]

    /// Listens as the tracker does; nil when the kernel refuses it.
    private func listen(_ address: ListenAddress) -> Int32? {
        let isIPv6 = address.host.utf8.contains(UInt8(ascii: ":"))
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let port = UInt16(address.port).bigEndian
        var code: Int32
        if isIPv6 {
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = port
            inet_pton(AF_INET6, address.host, &place.sin6_addr)
            code = withUnsafeBytes(of: place) {
                bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        } else {
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port
            inet_pton(AF_INET, address.host, &place.sin_addr)
            code = withUnsafeBytes(of: place) {
                bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        }
        if code == 0 { code = Glibc.listen(descriptor, 1) }
        if code != 0 { close(descriptor) }
        return code == 0 ? descriptor : nil
    }

    @Test func keepsOutWhatTheKernelRefuses() throws {
        var judged = 0
        for one in ListenAddressTests.hosts {
            for other in ListenAddressTests.hosts {
                let first = try #require(ListenAddress("\(one):28651"))
                let second = try #require(ListenAddress("\(other):28651"))
                // A machine without IPv6 has no such address.
                guard let descriptor = listen(first) else { continue }
                let next = listen(second)
                #expect(first.keepsOut(second) == (next == nil), "\(one) and \(other)")
                judged += 1
                if let next { close(next) }
                close(descriptor)
            }
        }
        #expect(judged >= 9)
        let (one, other) = (try #require(ListenAddress("0.0.0.0:1")), try #require(ListenAddress("0.0.0.0:2")))
        #expect(!one.keepsOut(other))
    }
}
