import Testing
import Waypost
import WaypostControl
import WaypostSystem

extension EndToEnd {
    /// Numbers that others chose, in requests and in positions.
    struct HostileNumbersTests {
        private static let largest = ["18446744073709551615", "9223372036854775808", "9223372036854775807"]

        /// Requests with a number at its end, or beyond.
        private static let requests: [String] =
            largest.flatMap { number in
                [
                    #"{"request":"ledger","since":"2026-01-01T00:00:00Z","page":"outbox:\#(number)"}"#,
                    #"{"request":"ledger","since":"2026-01-01T00:00:00Z","page":"log:\#(number)"}"#,
                    #"{"request":"ledger","id":"p-\#(number)-1"}"#, #"{"request":"ledger","id":"p-\#(number)-\#(number)-x"}"#,
                    #"{"request":"dispatch","action":"drain","budget":\#(number)}"#,
                    #"{"request":"dispatch","action":"retry","destination":"file","number":\#(number)}"#,
                    #"{"request":"dispatch","action":"drop","destination":"file","number":\#(number)}"#,
                    #"{"request":"waiting_export","destination":"file","page":"\#(number):\#(number)"}"#,
                    #"{"request":"log_ack","cursor":\#(number),"puller":"a"}"#,
                    #"{"request":"track","name":"t","values":{"n":\#(number)}}"#,
                ]
            } + [
                #"{"request":"ledger","since":"0001-01-01T00:00:00Z"}"#, #"{"request":"ledger","since":"9999-12-31T23:59:59Z"}"#,
                #"{"request":"ledger","id":"p-0-0"}"#, #"{"request":"ledger","id":"p--1-0"}"#,
                #"{"request":"dispatch","action":"drain","budget":-1}"#, #"{"request":"log_ack","cursor":-1,"puller":"a"}"#,
                #"{"request":"track","name":"t","values":{"n":1e308,"m":-1e-320,"o":-9223372036854775808}}"#,
            ]

        @Test func outliveEveryRequest() async throws {
            let folder = try TestFolder()
            // A server that is not there: everything waits.
            try folder.write("[[destination]]\nname = \"file\"\nurl = \"http://127.0.0.1:9/\"\n", to: "waypost.toml")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", folder.path("waypost.toml")])
            #expect(try await waypost("watch", "--count", "2", "--timeout", "30", "--socket", "socket", in: folder).code == 0)
            for request in Self.requests {
                let descriptor = try UnixSocket.connect(folder.path("socket"))
                defer { Syscalls.close(descriptor) }
                try UnixSocket.sendAll(descriptor, Array(request.utf8) + [0x0A])
                var (line, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                // The greeting, then the answer.
                while line.count(where: { $0 == 0x0A }) < 2, try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: 15_000) {
                    let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
                    guard count > 0 else { break }
                    line += chunk[..<count]
                }
                #expect(line.count(where: { $0 == 0x0A }) == 2, "\(request)")
                #expect(tracker.process.ended == nil, "\(request): \(tracker.process.errors)")
            }
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func showsAnyPositionThatAProgramGives() async throws {
            let folder = try TestFolder()
            let figures = [
                "alt", "altMSL", "altHAE", "geoidSep", "speed", "track", "climb", "eph", "epv", "eps", "hdop", "vdop", "pdop", "accuracy",
            ]
            var lines = ""
            for (number, figure) in figures.enumerated() {
                for (second, value) in ["1e308", "-1e308", "1e18", "5e-324"].enumerated() {
                    let time = "2026-05-09T07:\(10 + number):\(10 + second).000Z"
                    lines += #"{"class":"TPV","time":"\#(time)","mode":3,"lat":51.7,"lon":10.2,"\#(figure)":\#(value)}"# + "\n"
                }
            }
            try folder.write(lines, to: "positions.jsonl")
            for format in ["gpx", "jsonl", "geojson", "csv", "kml", "nmea"] {
                #expect(try await waypost("convert", "positions.jsonl", "-", "--to", format, in: folder).code == 0, "\(format)")
            }
            let play = "while read -r line; do echo \"$line\"; sleep 0.03; done < positions.jsonl; sleep 60"
            let tracker = try await TrackerProcess(source: "exec:\(play)", in: folder)
            let watcher = try await waypost("watch", "--count", "40", "--timeout", "30", "--socket", "socket", in: folder)
            #expect(watcher.code == 0, "\(watcher.errors)")
            #expect([0, 1].contains(try await waypost("status", "--socket", "socket", in: folder).code))
            #expect(try await tracker.stop() == ProgramExit(code: 0), "\(tracker.process.errors)")
        }
    }
}
