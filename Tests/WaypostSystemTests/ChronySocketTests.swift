import Foundation
import Glibc
import Testing
import WaypostSystem

/// What chronyd reads from its SOCK reference clock.
@Suite struct ChronySocketTests {
    @Test func sendsASampleAsChronyReadsIt() throws {
        let path = NSTemporaryDirectory() + "chrony-\(UInt32.random(in: .min ... .max))"
        defer { unlink(path) }
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) } == 0
        }
        try #require(isBound)
        // The satellites say that it is an hour and a quarter of a second later than the clock does.
        try ChronySocket.send(trueMilliseconds: WallClock.milliseconds + 3_600_250, to: path)
        var bytes = [UInt8](repeating: 0, count: 64)
        try #require(recv(receiver, &bytes, bytes.count, 0) == 40)
        let (seconds, microseconds, offset, rest) = bytes.withUnsafeBytes { raw in
            (
                raw.load(fromByteOffset: 0, as: Int64.self), raw.load(fromByteOffset: 8, as: Int64.self),
                raw.load(fromByteOffset: 16, as: Double.self), (0..<4).map { raw.load(fromByteOffset: 24 + 4 * $0, as: Int32.self) }
            )
        }
        #expect(abs(seconds - WallClock.milliseconds / 1_000) < 5 && (0..<1_000_000).contains(microseconds))
        #expect(abs(offset - 3_600.25) < 0.1, "\(offset)")
        #expect(rest == [0, 0, 0, 0x534f_434b])
    }

    @Test func saysThatNobodyReads() {
        #expect(throws: SystemError(code: ENOENT, operation: "send", path: "/nowhere/chrony.sock")) {
            try ChronySocket.send(trueMilliseconds: 0, to: "/nowhere/chrony.sock")
        }
    }
}
