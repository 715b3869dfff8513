import Glibc

/// Whose program is at the other end of a TCP connection that stays within this machine: any user may listen on a port above 1023.
public enum LoopbackPeer {
    /// The users at the other end, as the kernel lists its sockets in /proc/net: the listeners there, or else the connection's owner.
    ///
    /// Empty when the peer has no loopback address, or is not listed, as a container's port behind a firewall rule.
    /// - Cost: reads the list; a few hundred microseconds.
    public static func userIDs(of descriptor: Int32) -> Set<UInt32> {
        guard let peer = endpoint(of: descriptor, getpeername), peer.isLoopback, let own = endpoint(of: descriptor, getsockname) else {
            return []
        }
        return users(at: peer, of: own, among: sockets)
    }

    /// The users whose programs listen on a TCP port, on whatever address of this machine.
    ///
    /// - Cost: as ``userIDs(of:)``.
    public static func listenerUserIDs(port: UInt16) -> Set<UInt32> {
        Set(sockets.filter { $0.isListening && $0.local.port == port }.map(\.userID))
    }

    /// The kernel's list of TCP sockets.
    private static var sockets: [Entry] {
        ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path in
            let table = (try? Syscalls.contents(of: path, limit: 16 << 20)) ?? nil  // Without the list nothing is known.
            return entries(String(decoding: table ?? [], as: UTF8.self))
        }
    }

    // MARK: - The table

    /// An address, IPv4 ones mapped to IPv6, and a port.
    struct Endpoint: Equatable {
        var address: [UInt8]
        var port: UInt16

        fileprivate static let mapping: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

        fileprivate var isMapped: Bool { address.starts(with: Endpoint.mapping) }

        /// 127.0.0.0/8 or ::1.
        var isLoopback: Bool { isMapped ? address[12] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address.last == 1 }

        /// Whether a program that listens here gets connections to that endpoint.
        func takes(_ other: Endpoint) -> Bool {
            guard port == other.port else { return false }
            if address == other.address { return true }
            let isAny = address.allSatisfy { $0 == 0 }
            return isAny || isMapped && other.isMapped && address.dropFirst(12).allSatisfy { $0 == 0 }
        }
    }

    /// One line of the table.
    struct Entry: Equatable {
        var local: Endpoint
        var remote: Endpoint
        var isListening: Bool
        var userID: UInt32
    }

    /// Reads `sl local_address rem_address st queues timer retransmits uid ...`; addresses are 32-bit words of this machine's byte order.
    static func entries(_ table: String) -> [Entry] {
        table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 8)
            guard fields.count > 7, let local = endpoint(fields[1]), let remote = endpoint(fields[2]), let userID = UInt32(fields[7]) else {
                return nil
            }
            return Entry(local: local, remote: remote, isListening: fields[3] == "0A", userID: userID)
        }
    }

    static func users(at peer: Endpoint, of own: Endpoint, among sockets: [Entry]) -> Set<UInt32> {
        let listeners = sockets.filter { $0.isListening && $0.local.takes(peer) }
        // A program that accepts a connection and then stops listening is still at its other end.
        let holders = listeners.isEmpty ? sockets.filter { $0.local == peer && $0.remote == own } : listeners
        return Set(holders.map(\.userID))
    }

    private static func endpoint(_ text: Substring) -> Endpoint? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, parts[0].utf8.count == 8 || parts[0].utf8.count == 32, let port = UInt16(parts[1], radix: 16) else {
            return nil
        }
        var address: [UInt8] = parts[0].utf8.count == 8 ? Endpoint.mapping : []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            withUnsafeBytes(of: word) { address += $0 }
            rest = rest.dropFirst(8)
        }
        return Endpoint(address: address, port: port)
    }

    private static func endpoint(
        of descriptor: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> Endpoint? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &size) }
        }
        guard code == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = bytes.loadUnaligned(as: sockaddr_in.self)
                return Endpoint(
                    address: Endpoint.mapping + withUnsafeBytes(of: address.sin_addr.s_addr) { Array($0) },
                    port: UInt16(bigEndian: address.sin_port))
            case AF_INET6:
                let address = bytes.loadUnaligned(as: sockaddr_in6.self)
                return Endpoint(
                    address: withUnsafeBytes(of: address.sin6_addr) { Array($0) }, port: UInt16(bigEndian: address.sin6_port))
            default: return nil
            }
        }
    }
}
