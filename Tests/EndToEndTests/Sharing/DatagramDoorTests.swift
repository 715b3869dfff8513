import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// `[share] nmea_udp`, heard by a socket that is nothing but a socket.
    struct DatagramDoorTests {
        /// A UDP socket on a free port of 127.0.0.1.
        private final class Listener: Sendable {
            let descriptor: Int32
            let port: Int

            init() throws {
                descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let descriptor = self.descriptor
                let code = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                        bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
                    }
                }
                try #require(code == 0)
                port = Int(UInt16(bigEndian: address.sin_port))
            }

            deinit { close(descriptor) }

            /// The next datagram; nil when none comes in time.
            func datagram(within milliseconds: Int32 = 10_000) -> String? {
                var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
                guard poll(&waiting, 1, milliseconds) > 0 else { return nil }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
            }
        }

        private let receiver = SimulatedReceiver()

        @Test func sendsWholeSentencesInDatagramsThatEveryNetworkCarries() async throws {
            let folder = try TestFolder()
            let listener = try Listener()
            try folder.write("[share]\nnmea_udp = \"127.0.0.1:\(listener.port)\"\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            // Datagrams keep no receiver on: nobody knows who listens.
            #expect(try await !waypost("status", "--socket", "socket", in: folder).output.contains("for share nmea_udp"))
            for number in 0..<4 {
                let epoch = receiver.epoch(number)
                try fifo.write(epoch.text)
                let datagram = try #require(listener.datagram(), "\(tracker.process.errors)")
                #expect(datagram.utf8.count <= 1_472 && datagram.hasPrefix("$") && datagram.hasSuffix("\r\n"))
                let sentences = datagram.components(separatedBy: "\r\n").dropLast()
                for sentence in sentences {
                    // The checksum, by the standard's rule: the exclusive or of what is between $ and *.
                    let parts = sentence.dropFirst().split(separator: "*")
                    let sum = parts[0].utf8.reduce(0) { $0 ^ $1 }
                    #expect(parts.count == 2 && Int(parts[1], radix: 16) == Int(sum), "\(sentence)")
                }
                // GGA with the place of this epoch: degrees and minutes, as in the receiver's own.
                let wanted = try #require(epoch.text.components(separatedBy: "\r\n").first { $0.contains("GGA,") }).components(
                    separatedBy: ",")
                let told = try #require(sentences.first { $0.contains("GGA,") }).components(separatedBy: ",")
                #expect(abs((Double(told[2]) ?? 0) - (Double(wanted[2]) ?? 1)) < 0.000_1 && told[3] == wanted[3])
                #expect(abs((Double(told[4]) ?? 0) - (Double(wanted[4]) ?? 1)) < 0.000_1 && told[5] == wanted[5])
            }
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            while listener.datagram(within: 500) != nil {}
            try fifo.write(receiver.epoch(5).text + receiver.epoch(6).text)
            while let datagram = listener.datagram(within: 1_000) { #expect(!datagram.contains(",N,")) }
            fifo.close()
            _ = try await tracker.stop()
        }

        /// A port on which nobody listens answers each datagram with an error, which must neither end the door nor fill a log.
        @Test func goesOnWhileNobodyListens() async throws {
            let folder = try TestFolder()
            var listener: Listener? = try Listener()
            let port = try #require(listener).port
            listener = nil
            try folder.write("[share]\nnmea_udp = \"127.0.0.1:\(port)\"\n", to: "w.toml")
            let tracker = try await TrackerProcess(source: "sim:city", in: folder, options: ["--config", "w.toml"])
            try await Task.sleep(for: .seconds(3))
            #expect(tracker.process.ended == nil)
            #expect(tracker.process.errors.components(separatedBy: "nmea_udp").count <= 3, "\(tracker.process.errors)")
            #expect(try await tracker.stop().code == 0)
        }
    }
}
