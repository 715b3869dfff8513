import Foundation
import Glibc
import Testing
import Waypost

extension EndToEnd {
    /// Names and words that others chose, on the terminal and in the log.
    struct HostileTextTests {
        /// Clears a screen twice (ESC and C1), turns the reading direction, and begins an emergency of its own in the journal.
        private static let hostile = "\u{1B}[2J\u{9B}2J\u{202E}\u{200B}evil\n<0>waypostd: fake\r\u{2028}\u{85}\u{7F}end"
        private static let spelled = #"\u001b[2J\u009b2J\u202e\u200bevil\n<0>waypostd: fake\r\u2028\u0085\u007fend"#

        /// What could steer a terminal or a log.
        private func steering(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter {
                $0 != "\n" && [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
        }

        private func expectHarmless(_ run: Finished, _ what: String) {
            #expect(steering(run.output).isEmpty && steering(run.errors).isEmpty, "\(what): \(printable(run.output + run.errors))")
            #expect(!(run.outputLines + run.errors.split(separator: "\n").map(String.init)).contains { $0.hasPrefix("<0>") }, "\(what)")
        }

        private func collection(type: String) -> String {
            var text = TextBuffer()
            text.appendJSON { json in
                json.object { json in
                    json.member("type", "FeatureCollection")
                    json.array("features") { json in
                        for type in ["Point", type] {
                            json.object { json in
                                json.member("type", "Feature")
                                json.object("properties") { json in
                                    json.member("name", Self.hostile)
                                    json.member("radius", 60)
                                }
                                json.object("geometry") { json in
                                    json.member("type", type)
                                    json.array("coordinates") { json in
                                        json.element(10.2410)
                                        json.element(51.7325)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            return text.string
        }

        @Test func showsTheNamesOfFilesAndFencesWithoutObeyingThem() async throws {
            let folder = try TestFolder()
            let name = "\u{1B}]0;t\u{7}\u{9B}\u{202E}.geojson"
            try folder.write(collection(type: Self.hostile), to: name)
            let track = "\u{9B}2J\u{1B}c.nmea"
            try FileManager.default.copyItem(atPath: Package.drive, toPath: folder.path(track))
            try folder.write("\u{1B}[2J = \"\u{9B}\"\n", to: "\u{1B}[2J.toml")
            for arguments in [
                ["fences", "check", name], ["fences", "check", name, "--json"], ["fences", "replay", name, track, track],
                ["fences", "replay", name, track, "--json"], ["convert", name, "-", "--to", "gpx"], ["convert", "\u{1B}[2J", "-"],
                ["config", "check", "\u{1B}[2J.toml"], ["log", "list", "--log", "\u{9B}\u{202E}"], ["log", "verify", "--log", name],
                ["status", "--socket", "\u{1B}[2J\u{9B}"],
            ] {
                let run = try await finish([Program.waypost.path] + arguments, in: folder)
                #expect(!(run.output + run.errors).isEmpty)
                expectHarmless(run, printable(arguments.joined(separator: " ")))
                guard arguments.contains("--json") else { continue }
                for line in run.outputLines { _ = try JSONParser().parse(Array(line.utf8)) }
                #expect(run.output.contains(Self.spelled))
            }
        }

        @Test func letsNobodyWriteLinesOfTheTrackersLogOrScreen() async throws {
            let folder = try TestFolder()
            try folder.write(collection(type: Self.hostile), to: "fences.geojson")
            try folder.write("[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n", to: "waypost.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", folder.path("waypost.toml")])
            let holder = try ProgramProcess(.waypost, ["hold", "--socket", "socket", "--reason", "\u{9B}2J\u{202E}"], in: folder)
            let watchers = [
                try await tracker.watch("--json", "--events", "--count", "1"), try await tracker.watch("--events", "--count", "1"),
            ]
            try fifo.write(String(contentsOfFile: Package.drive, encoding: .utf8))
            for watcher in watchers {
                try await watcher.exit()
                expectHarmless(Finished(code: 0, output: watcher.output, errors: watcher.errors, peakKilobytes: 0), "watch")
                #expect(watcher.output.contains(Self.spelled))
            }
            for arguments in [
                ["status"], ["status", "--json"], ["fences", "list"], ["fences", "list", "--json"], ["fences", "active"],
                ["capabilities"], ["track", Self.hostile], ["ledger", "--since", "2020-01-01"], ["log", "rotate"],
            ] {
                let run = try await finish([Program.waypost.path] + arguments + ["--socket", "socket"], in: folder)
                expectHarmless(run, arguments.joined(separator: " "))
                if ["status", "fences"].contains(arguments[0]) { #expect(run.output.contains(Self.spelled), "\(arguments)") }
            }
            holder.send(SIGTERM)
            fifo.close()
            _ = try await tracker.process.exit()
            expectHarmless(Finished(code: 0, output: "", errors: tracker.process.errors, peakKilobytes: 0), "log")
            #expect(tracker.process.errors.contains(#"\u001b[2J"#))
        }

        /// A gpsd that is none: raw C1 and bidirectional characters, and the others as JSON escapes, in every word of its own.
        private static let server = #"""
            import json, socket, threading, time
            EVIL = "x\x1b]0;t\x07\x1b[2J\u009b2J\u202e\u2066no\n<0>waypostd: fake\r\u0085\x7fend"
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(9)
            open("port.new", "w").write(str(listener.getsockname()[1]))
            __import__("os").rename("port.new", "port")
            def serve(client):
                def say(**members):
                    client.sendall((json.dumps(members, ensure_ascii=False, separators=(",", ":")) + "\n").encode())
                say(**{"class": "VERSION"}, release="3.22" + EVIL, rev=EVIL, proto_major=3, proto_minor=14)
                client.recv(4096)
                device = "/dev/" + EVIL
                say(**{"class": "DEVICES"}, devices=[{"class": "DEVICE", "path": device, "driver": EVIL, "activated": "2026-03-01T12:00:00Z"}])
                for second in range(600):
                    if second < 8:
                        now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
                        say(**{"class": "TPV"}, device=device, mode=3, time=now, lat=47 + second / 1e5, lon=8, altMSL=400)
                    elif second == 8:
                        say(**{"class": "DEVICE"}, path=device, activated=0)
                    say(**{"class": "ERROR"}, message="no " + EVIL + str(second))
                    say(**{"class": EVIL}, message=EVIL)
                    time.sleep(0.5)
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
            """#

        @Test func letsNoServerOfPositionsSteerTheTerminalOrTheLog() async throws {
            let folder = try TestFolder()
            try folder.write(Self.server, to: "gpsd.py")
            let server = try ProgramProcess(["python3", "gpsd.py"], in: folder)
            #expect(try await eventually { try folder.names().contains("port") }, "\(server.errors)")
            let url = "gpsd://127.0.0.1:\(try folder.text("port"))"
            let tracker = try await TrackerProcess(source: url, in: folder)
            let watchers = [try await tracker.watch("--json"), try await tracker.watch()]
            var told = ""
            for round in 0..<8 {
                for arguments in [["status"], ["status", "--json"], ["capabilities"]] {
                    let run = try await finish([Program.waypost.path] + arguments + ["--socket", "socket"], in: folder)
                    expectHarmless(run, "\(round): \(arguments)")
                    told += run.output
                }
                try await Task.sleep(for: .milliseconds(700))
            }
            #expect(told.contains(#"gpsd 3.22x\u001b]0;t\u0007\u001b[2J\u009b2J\u202e"#), "its release is shown, spelled")
            for watcher in watchers {
                watcher.send(SIGINT)
                try await watcher.exit()
                expectHarmless(Finished(code: 0, output: watcher.output, errors: watcher.errors, peakKilobytes: 0), "watch")
            }
            // Of a receiver that it does not have, gpsd's words are the reason that the status gives.
            let other = try TestFolder()
            let lone = try await TrackerProcess(source: "\(url)/dev/ttyACM0", in: other)
            try await Task.sleep(for: .seconds(2))
            for arguments in [["status"], ["status", "--json"]] {
                let run = try await finish([Program.waypost.path] + arguments + ["--socket", "socket"], in: other)
                expectHarmless(run, "another device: \(arguments)")
                #expect(run.output.contains(#"\u001b]0;t"#), "\(printable(run.output))")
            }
            _ = try await lone.stop()
            _ = try await tracker.stop()
            server.send(SIGTERM)
            for process in [tracker.process, lone.process] {
                expectHarmless(Finished(code: 0, output: process.output, errors: process.errors, peakKilobytes: 0), "log")
                #expect(process.errors.contains(#"\u001b]0;t"#), "\(printable(process.errors))")
            }
            for name in try folder.names(in: "log") where name.hasSuffix(".gpx") {
                #expect(steering(try folder.text("log/\(name)")).isEmpty, "\(name)")
            }
        }
    }
}
