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

        /// Cursors that no log has, and numbers that are no time.
        @Test func takesAnyNumberAsABeginning() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await waypost("watch", "--count", "3", "--timeout", "30", "--socket", "socket", in: folder).code == 0)
            for number in ["18446744073709551615", "4611686018427387904", "9223372036854775808"] {
                let export = try await waypost("log", "export", "--log", "log", "--since", number, in: folder)
                #expect(export.output == "" && export.complaints.count == 1, "\(export)")
                #expect(export.errors.contains("the cursor \(number) is after the end of the log"), "\(export)")
            }
            let whole = try await waypost("log", "export", "--log", "log", "--since", "0", in: folder)
            #expect(whole.code == 0 && whole.outputLines.count >= 3 && whole.errors == "", "\(whole)")
            #expect(whole.outputLines[0].contains("\"seq\":"))
            for number in ["18446744073709551616", "-1", "1e30"] {
                #expect(try await waypost("log", "export", "--log", "log", "--since=\(number)", in: folder).code == 64, "\(number)")
            }
            for number in ["18446744073709551615", "4611686018427387904", "0"] {
                let ledger = try await waypost("ledger", "--since", number, "--socket", "socket", in: folder)
                #expect(ledger.code == 64 && ledger.errors.contains("'\(number)' is invalid"), "\(ledger)")
                // The list of what a server refused has pages, and no beginning.
                #expect(try await waypost("dispatch", "list", "--since", number, "--socket", "socket", in: folder).code == 64)
                #expect(
                    try await waypost("log", "ack", number, "--puller", "p", "--log", "log", in: folder).code == (number == "0" ? 0 : 65))
            }
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        /// A period that ends before it begins, or at once, erases nothing, whoever asks for it.
        @Test func erasesNothingFromALaterToAnEarlierMoment() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await waypost("watch", "--count", "3", "--timeout", "30", "--socket", "socket", in: folder).code == 0)
            let count = try await waypost("log", "export", "--log", "log", in: folder).outputLines.count
            let descriptor = try UnixSocket.connect(folder.path("socket"))
            defer { Syscalls.close(descriptor) }
            let periods = [
                ("2999-01-01T00:00:00Z", "2001-01-01T00:00:00Z"), ("2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"),
                ("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
            ]
            for (from, to) in periods {
                let request = #"{"request":"log_erase","from":"\#(from)","to":"\#(to)"}"#
                try UnixSocket.sendAll(descriptor, Array(request.utf8) + [0x0A])
            }
            var (text, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            while text.count(where: { $0 == 0x0A }) < 4, try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: 15_000) {
                let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
                guard count > 0 else { break }
                text += chunk[..<count]
            }
            let answers = String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst()
            #expect(answers.count == 3)
            let refusal = #"{"class":"ERROR","code":"bad_request","message":"log_erase: \"from\" must be before \"to\""}"#
            #expect(answers.allSatisfy { $0 == refusal }, "\(answers)")
            #expect(try await waypost("log", "export", "--log", "log", in: folder).outputLines.count >= count)
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        /// Each by itself: `config check` names the line, and the tracker does not start.
        @Test(arguments: [
            ("[[source]]", "url = \"gpx:a?interval=1e308\""), ("[[source]]", "url = \"gpx:a?speed=1e-320\""),
            ("[[source]]", "url = \"nmea:a?speed=1e-320\""), ("[[source]]", "url = \"route:a?speed=1e308&interval=86400\""),
            ("[[source]]", "url = \"route:a?interval=9223372036854775807\""), ("[[source]]", "url = \"gpx:a?interval=nan\""),
            ("[[source]]", "url = \"nmea-tcp://h:18446744073709551616\""), ("[[source]]", "url = \"gpx:a?speed=-1\""),
            ("[log]", "max_bytes = \"9223372036854775807 TB\""), ("[log]", "min_distance = 1e308"), ("[log]", "sync_interval = 1e308"),
            ("[log]", "max_age = 9223372036854775807"), ("[tracking]", "distance_filter = \"99999999999999999999999999 km\""),
            ("[tracking]", "first_fix_timeout = inf"), ("[dispatch]", "max_bytes = -9223372036854775808"),
        ])
        func areRefusedByConfigCheck(section: String, line: String) async throws {
            let folder = try TestFolder()
            try folder.write("\(section)\n\(line)\n", to: "waypost.toml")
            let check = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(check.code == 78 && check.complaints.count == 1 && check.errors.hasPrefix("waypost: waypost.toml:2:"), "\(check)")
            let tracker = try await finish([Program.waypostd.path, "--config", "waypost.toml"] + TrackerProcess.options, in: folder)
            #expect(tracker.code == 78, "\(tracker)")
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
