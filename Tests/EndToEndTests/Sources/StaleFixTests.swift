import Testing
import WaypostTestKit

extension EndToEnd {
    /// A receiver that talks on without a fix keeps no old place alive in the status.
    @Suite struct StaleFixTests {
        private static let kinds = ["fifo", "exec", "fallback", "gpsd"]

        @Test(arguments: kinds) func isLostInTheStatus(kind: String) async throws {
            if kind == "gpsd", !GPSDServer.isInstalled { return }
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let other = try ReceiverFIFO("other", in: folder)
            let server = kind == "gpsd" ? try await GPSDServer() : nil
            defer { server?.stop() }
            let source =
                switch kind {
                case "exec": "exec:exec cat receiver"
                case "gpsd": "gpsd://127.0.0.1:\(server?.port ?? 0)"
                default: "nmea:receiver"
                }
            let more = kind == "fallback" ? ["--source", "nmea:other"] : []
            let tracker = try await TrackerProcess(source: source, in: folder, options: more)
            let receiver = SimulatedReceiver(periodMilliseconds: 500)
            func say(_ text: String) throws { if let server { try server.write(text) } else { try fifo.write(text) } }
            var before = try await waypost("status", "--socket", "socket", in: folder)
            // A gpsd first finds the speed of its line.
            for index in 0..<80 where index < 10 || before.code != 0 {
                try say(receiver.epoch(index).text)
                try await Task.sleep(for: .milliseconds(400))
                if index % 5 == 4 { before = try await waypost("status", "--socket", "socket", in: folder) }
            }
            #expect(before.code == 0 && before.output.contains("position  47."), "\(before)")
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(10) {
                try say("$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGSV,1,1,00*79\r\n")
                if kind == "fallback" { try other.write("$GPRMC,,V,,,,,,,,,,N*53\r\n") }
                try await Task.sleep(for: .milliseconds(400))
            }
            let after = try await waypost("status", "--socket", "socket", in: folder)
            #expect(after.code == 1 && !after.output.contains("position  47.") && after.output.contains("degraded"), "\(kind): \(after)")
            let json = try await waypost("status", "--json", "--socket", "socket", in: folder).output
            #expect(!json.contains(#""state":"fix""#) && json.contains("no position"), "\(kind): \(json)")
            fifo.close()
            other.close()
            _ = try await tracker.stop()
        }
    }
}
