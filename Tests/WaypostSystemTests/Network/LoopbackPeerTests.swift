import Testing

@testable import WaypostSystem

/// The other end of a connection within this machine.
struct LoopbackPeerTests {
    /// As of Linux on a little-endian machine: user 998 listens on 127.0.0.1:2947, user 0 on [::1]:2947, user 1000 on every address at 2948;
    /// user 1001 holds a connection from 127.0.0.1:2950 to 127.0.0.1:40000, whose listener is gone.
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:0B83 00000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 21337 1 0000000000000000 100 0 0 10 0
           1: 00000000:0B84 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21338 1 0000000000000000 100 0 0 10 0
           2: 0100007F:0B86 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1001        0 21339 1 0000000000000000 20 4 30 10 -1
           3: 0100007F:9C40 0100007F:0B86 01 00000000:00000000 00:00000000 00000000   997        0 21340 1 0000000000000000 20 4 30 10 -1
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid
           0: 00000000000000000000000001000000:0B83 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
           1: 00000000000000000000000000000000:0B85 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 1
        """
    private let local: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]
    private let six: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

    @Test(.enabled(if: 1.littleEndian == 1)) func findsWhoListensOrHoldsTheConnection() {
        let sockets = LoopbackPeer.entries(Self.table)
        #expect(sockets.count == 6)
        func users(_ address: [UInt8], _ port: UInt16, from own: UInt16 = 40_000) -> Set<UInt32> {
            LoopbackPeer.users(at: .init(address: address, port: port), of: .init(address: address, port: own), among: sockets)
        }
        #expect(users(local, 2_947) == [998] && users(six, 2_947) == [0])
        #expect(users(local, 2_948) == [1_000] && users(six, 2_948) == [])
        #expect(users(local, 2_949) == [1_002] && users(six, 2_949) == [1_002])
        #expect(users(local, 2_950) == [1_001] && users(local, 2_950, from: 40_001) == [])
    }

    @Test(arguments: [
        "", "\n\n", "x", "0: : : 0A 0 0 0 1", "0: 0100007F:XXXX 0:0 0A 0 0 0 1", "0: 0100007G:0B83 00000000:0000 0A 0 0 0 1 2",
    ])
    func overlooksWhatIsNoLine(table: String) {
        #expect(LoopbackPeer.entries(table).isEmpty)
    }

    @Test func knowsItsOwnUserBehindAPort() throws {
        // No server of ours stands behind the descriptors of a socket pair.
        let (first, second) = try Syscalls.socketPair()
        defer {
            Syscalls.close(first)
            Syscalls.close(second)
        }
        #expect(LoopbackPeer.userIDs(of: first).isEmpty)
        #expect(LoopbackPeer.userIDs(of: -1).isEmpty)
    }
}
