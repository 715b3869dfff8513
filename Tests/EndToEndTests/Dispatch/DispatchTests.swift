import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// From a fix, a border or an application to a server, through the whole tracker.
    struct DispatchTests {
        private let receiver = SimulatedReceiver()

        /// A tracker with one destination that sends on demand, in a folder with a receiver.
        private func tracker(
            to url: String, in folder: TestFolder, _ fifo: ReceiverFIFO, more: String = ""
        ) async throws -> TrackerProcess {
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(url)\"\ninterval = 0\ntimeout = 5\n\(more)", to: "w.toml")
            return try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
        }

        /// What `waypost` says to these words and the tracker of the folder.
        private func ask(_ words: [String], in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished { try await ask(words, in: folder) }

        private func status(in folder: TestFolder) async throws -> JSONValue {
            let run = try await ask("dispatch", "status", "--json", in: folder)
            let answer = try JSONParser().parse(Array(run.output.utf8))
            return try #require(answer["destinations"]?.array?.first)
        }

        private func write(_ epochs: Range<Int>, to fifo: ReceiverFIFO) throws {
            try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
        }

        @Test func sendsPositionsAndAnApplicationsEvents() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await tracker(to: server.url, in: folder, fifo)
            try write(0..<10, to: fifo)
            #expect(try await eventually { try await status(in: folder)["positions"]?.int ?? 0 >= 8 })
            let call = try await ask("track", "delivered", "parcel=7", "signed_by=A. Smith", "late=false", in: folder)
            #expect(call.code == 0 && call.output.isEmpty, "\(call)")
            #expect(try await status(in: folder)["events"]?.int == 1)
            #expect(try server.received().isEmpty)

            let now = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(now.output == "good\n" && now.code == 0)
            let records = try server.received()
            let sent = try #require(records.first { $0["class"]?.string == "TRACK" })
            #expect(sent["name"]?.string == "delivered" && sent["values"]?["parcel"]?.int == 7)
            #expect(sent["values"]?["signed_by"]?.string == "A. Smith" && sent["values"]?["late"]?.bool == false)
            #expect(sent["lat"]?.double != nil && sent["queue_ms"]?.int ?? -1 >= 0)
            let positions = records.filter { $0["class"]?.string == "TPV" }
            #expect(positions.count >= 8)
            #expect(positions.compactMap { $0["time"]?.string } == positions.compactMap { $0["time"]?.string }.sorted())
            #expect(Set(records.compactMap { $0["id"]?.string }).count == records.count)

            let id = try #require(sent["id"]?.string)
            let told = try await ask("ledger", "--id", id, "--json", in: folder)
            let account = try #require(try JSONParser().parse(Array(told.output.utf8))["destinations"]?.array?.first)
            #expect(account["name"]?.string == "home" && account["state"]?.string == "receipt", "\(told)")
            let ledger = try await ask("ledger", "--since", "2000-01-01", in: folder).output.split(separator: "\n")
            #expect(ledger.count { $0.contains("  position  p-") && $0.contains("; home: receipt") } == positions.count)
            #expect(ledger.contains { $0.contains("track  \"delivered\"") } && ledger == ledger.sorted { $0.prefix(19) < $1.prefix(19) })
            let nobody = try await ask("ledger", "--id", "t-nobody", in: folder)
            #expect(nobody.code == 66 && nobody.output.isEmpty)

            let again = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(again.output == "no_data\n" && again.code == 0)
            let rows = try await ask("dispatch", in: folder).outputLines.map { $0.split(separator: " ") }
            #expect(rows.count == 2 && rows[1].first == "home" && rows[1].suffix(4) == ["0", "on", "demand", "none"], "\(rows)")
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
        }

        @Test func keepsWhatWaitsOverAKillAndSendsTheRestAtTheStop() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await tracker(to: server.url, in: folder, fifo)
            try write(0..<10, to: fifo)
            for number in 0..<20 {
                #expect(try await ask("track", "n", "n=\(number)", in: folder).code == 0)
            }
            let failed = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(failed.output == "error\n" && failed.code == 1 && failed.errors.contains("503"), "\(failed)")
            _ = try await first.stop(with: SIGKILL)

            try server.setMode("ok")
            let second = try await tracker(to: server.url, in: folder, fifo)
            #expect(try await status(in: folder)["events"]?.int == 20)
            #expect(try await status(in: folder)["positions"]?.int == 10, "the numbers that a kill leaves out are no positions")
            // A stop has a moment for what waits.
            #expect(try await second.stop() == ProgramExit(code: 0))
            let calls = try server.received().filter { $0["class"]?.string == "TRACK" }
            #expect(calls.compactMap { $0["values"]?["n"]?.int } == Array(0..<20))
            fifo.close()
        }

        @Test func takesWhatWaitsToTheServerThatTakesItsPlace() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await tracker(to: "http://127.0.0.1:9/", in: folder, fifo)
            try write(0..<10, to: fifo)
            for number in 0..<3 { #expect(try await ask("track", "n", "n=\(number)", in: folder).code == 0) }
            #expect(try await eventually { try await status(in: folder)["positions"]?.int ?? 0 >= 8 })
            #expect(try await first.stop() == ProgramExit(code: 0))

            let server = try await FlakyServer()
            try folder.write("[[destination]]\nname = \"work\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let text = try await ask("dispatch", in: folder).output
            #expect(text.contains("unconfigured\n  3 events and 10 positions wait; no longer configured"), "\(text)")
            let waiting = try await ask("dispatch", "export", "home", in: folder).output.split(separator: "\n")
            let ids = try waiting.map { try JSONParser().parse(Array($0.utf8))["id"]?.string ?? "" }
            #expect(
                ids.count >= 11 && ids.prefix(3).allSatisfy { $0.hasPrefix("t-") } && ids.dropFirst(3).allSatisfy { $0.hasPrefix("p-") })
            let wrong = try await ask("dispatch", "move", "home", "elsewhere", in: folder)
            #expect(wrong.code != 0 && wrong.errors.contains("elsewhere"), "\(wrong)")
            #expect(try await ask("dispatch", "move", "home", "work", in: folder).output.hasPrefix("moved 3 events and 10 positions"))
            #expect(try await ask("dispatch", "now", "--wait", in: folder).output == "good\n")
            let received = try server.received().compactMap { $0["id"]?.string }
            #expect(received.filter(ids.contains) == ids && Set(received).count == received.count)
            #expect(try await ask("dispatch", "discard", "home", in: folder).code != 0)
            #expect(try await second.stop() == ProgramExit(code: 0))
            fifo.close()
        }

        @Test func keepsWhatWaitsForAServerThatCannotBeOpenedOrIsNotConfigured() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.write("secret\n", to: "token")
            #expect(chmod(folder.path("token"), 0o644) == 0)
            let tracker = try await tracker(to: "http://127.0.0.1:9/", in: folder, fifo, more: "token_file = \"\(folder.path("token"))\"\n")
            #expect(try await ask("track", "n", in: folder).code == 0)
            #expect(try await ask("dispatch", "now", "--wait", in: folder).code == 1)
            let text = try await ask("dispatch", in: folder).output
            #expect(text.contains("on demand  failing\n  1 event waits; ") && text.contains("token"), "\(text)")
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            try folder.write("", to: "w.toml")
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("dispatch", "export", "home", in: folder).output.contains(#""class":"TRACK""#))
            #expect(try await second.stop() == ProgramExit(code: 0))
            fifo.close()
        }

        @Test func sendsFenceEventsOnceAtTheEndOfARecording() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[10.262429,51.714533]},"properties":{"name":"Client","radius":200}}]}"#, to: "fences.geojson")
            try folder.write(
                "[geofences]\nfile = \"fences.geojson\"\n[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\npositions = false\n",
                to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--config", "w.toml"])
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            let records = try server.received()
            #expect(records.allSatisfy { $0["class"]?.string == "EVENT" && $0["fence"]?.string == "Client" })
            #expect(records.compactMap { $0["event"]?.string } == ["enter", "exit"])
            #expect(Set(records.compactMap { $0["id"]?.string }).count == 2)
            let visits = Set(records.compactMap { $0["visit"]?.string ?? $0["visit"]?.int.map(String.init) })
            #expect(visits.count == 1, "\(records)")
        }

        @Test func speaksToEachServerAsItWantsIt() async throws {
            let folder = try TestFolder()
            let (owntracks, traccar, tealium, coarse) = (
                try await FlakyServer("answer []"), try await FlakyServer("device van-7"), try await FlakyServer("silent"),
                try await FlakyServer()
            )
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[10.262429,51.714533]},"properties":{"name":"Client","radius":200}}]}"#, to: "fences.geojson")
            try folder.write("s3cr1t\n", to: "password")
            #expect(chmod(folder.path("password"), 0o600) == 0)
            try folder.write(
                """
                [geofences]
                file = "fences.geojson"
                [dispatch]
                device = "van-7"
                stop_budget = 60
                [[destination]]
                name = "ot"
                kind = "owntracks"
                url = "\(owntracks.url)"
                user = "jane"
                password_file = "\(folder.path("password"))"
                headers = ["X-Fleet: north"]
                waypoints = true
                [[destination]]
                name = "traccar"
                kind = "traccar"
                url = "\(traccar.url)"
                [[destination]]
                name = "tealium"
                kind = "tealium"
                url = "\(tealium.url)/bulk-event"
                account = "acme"
                gzip = true
                [[destination]]
                name = "coarse"
                url = "\(coarse.url)"
                accuracy = "reduced"
                """, to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--config", "w.toml"])
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))

            let messages = try owntracks.received()
            #expect(messages.compactMap { $0["event"]?.string } == ["enter", "leave"])
            #expect(messages.contains { $0["_type"]?.string == "location" && $0["topic"]?.string == "owntracks/jane/van-7" })
            let lists = messages.filter { $0["_type"]?.string == "waypoints" }
            #expect(lists.count == 1 && lists[0]["waypoints"]?.array?.first?["desc"]?.string == "Client")
            let head = try #require(try owntracks.requests().first)
            #expect(head["authorization"]?.string == "Basic amFuZTpzM2NyMXQ=" && head["x-fleet"]?.string == "north")

            let forms = try traccar.received()
            let times = forms.filter { $0["lat"] != nil }.compactMap { $0["timestamp"]?.string.flatMap { Int($0) } }
            #expect(times.count > 10 && times == times.sorted())
            #expect(forms.compactMap { $0["alarm"]?.string } == ["geofenceEnter", "geofenceExit"])

            let events = try tealium.received()
            #expect(events.compactMap { $0["tealium_event"]?.string } == ["geofence_entered", "geofence_exited"])
            #expect(events.allSatisfy { $0["tealium_account"]?.string == "acme" && $0["geofence_name"]?.string == "Client" })
            #expect(events.allSatisfy { $0["location_accuracy"]?.string == "high" && $0["location_accuracy_extended"]?.string == "best" })
            #expect(events.allSatisfy { $0["movement_speed"]?.string.flatMap { Double($0) } ?? -1 >= 0 })
            #expect(try tealium.requests().allSatisfy { $0["content-encoding"]?.string == "gzip" })

            let told = try coarse.received()
            #expect(!told.isEmpty && told.count < 10)
            #expect(told.allSatisfy { $0["class"]?.string == "TPV" && $0["accuracy_from"]?.string == "reduced" && $0["speed"] == nil })
        }

        @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
        func speaksToABroker() async throws {
            let folder = try TestFolder()
            let broker = try await MosquittoBroker("allow_anonymous true\nmax_queued_messages 0")
            let archive = try MQTTConsumer(broker.url, topic: "waypost/#") { $0 }
            let owntracks = try MQTTConsumer(broker.url, topic: "owntracks/#", id: "recorder")
            _ = try await archive.client.connect()
            _ = try await owntracks.client.connect()
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[10.262429,51.714533]},"properties":{"name":"Client","radius":200}}]}"#, to: "fences.geojson")
            try folder.write(
                """
                [geofences]
                file = "fences.geojson"
                [dispatch]
                device = "van-7"
                stop_budget = 60
                [[destination]]
                name = "archive"
                kind = "mqtt"
                url = "\(broker.url)"
                receipt = "application"
                presence = true
                topic = "waypost/{device}/{kind}/{name}"
                [[destination]]
                name = "ot"
                kind = "owntracks"
                url = "\(broker.url)"
                user = "jane"
                """, to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--config", "w.toml"])
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            #expect(await eventually { archive.records.last?["status"]?.string == "offline" })
            #expect(archive.records.first?["status"]?.string == "online")
            let events = archive.messages.filter { $0.topic == "waypost/van-7/event/Client" }
            #expect(events.count == 2)
            let positions = archive.records.filter { $0["class"]?.string == "TPV" }
            #expect(positions.count > 10 && positions.allSatisfy { $0["device"]?.string == "van-7" })
            #expect(Set(archive.ids).count == positions.count + 2)
            #expect(owntracks.records.compactMap { $0["event"]?.string } == ["enter", "leave"])
            #expect(owntracks.messages.filter { $0.topic == "owntracks/jane/van-7" }.count == positions.count)
        }

        @Test func showsAndRemovesWhatAServerRefuses() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("poison \"poison\":true")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await tracker(to: server.url, in: folder, fifo)
            for number in 0..<5 {
                let poison = number == 2 ? ["poison=true"] : []
                #expect(
                    try await ask(["track", "n", "n=\(number)"] + poison, in: folder).code
                        == 0)
            }
            _ = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(Set(try server.received().compactMap { $0["values"]?["n"]?.int }) == [0, 1, 3, 4])
            let list = try await ask("dispatch", "list", in: folder).output
            #expect(list.hasPrefix("1 home (no time) track \"n\" t-") && list.split(separator: "\n").count == 1, "\(list)")
            #expect(try await ask("dispatch", "drop", "7", in: folder).code == 66)
            #expect(try await ask("dispatch", "drop", "--all", in: folder).code == 0)
            #expect(try await status(in: folder)["dead_letters"]?.int == 0)
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func pausesAndKeepsItsPauseOverARestart() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await tracker(to: server.url, in: folder, fifo)
            #expect(try await ask("dispatch", "pause", "--to", "home", in: folder).code == 0)
            #expect(try await ask("dispatch", "pause", "--to", "nobody", in: folder).code != 0)
            #expect(try await ask("track", "x", in: folder).code == 0)
            _ = try await first.stop()
            #expect(try server.received().isEmpty)
            let second = try await tracker(to: server.url, in: folder, fifo)
            #expect(try await status(in: folder)["state"]?.string == "paused")
            #expect(try await ask("dispatch", "resume", in: folder).code == 0)
            #expect(try await ask("dispatch", "now", "--wait", in: folder).output == "good\n")
            #expect(try server.received().count == 1)
            fifo.close()
            _ = try await second.stop()
        }

        @Test func sendsWhenAnInterfaceComesUp() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await tracker(to: server.url, in: folder, fifo)
            #expect(try await ask("track", "x", in: folder).code == 0)
            let programs = URL(filePath: Program.waypost.path).deletingLastPathComponent().path()
            let surroundings = ["env", "PATH=\(programs):/usr/bin:/bin", "WAYPOST_SOCKET=\(folder.path("socket"))"]
            // What concerns nobody; then NetworkManager's way, and that of networkd-dispatcher.
            for arguments in [["eth0", "down"], ["eth0", "connectivity-change"]] {
                #expect(
                    try await finish(surroundings + ["sh", Package.file("Config/network/waypost-drain")] + arguments, in: folder).code == 0)
            }
            try await Task.sleep(for: .milliseconds(300))
            #expect(try server.received().isEmpty)
            #expect(
                try await finish(surroundings + ["sh", Package.file("Config/network/waypost-drain"), "eth0", "up"], in: folder).code == 0)
            #expect(try await eventually { try server.received().count == 1 })
            #expect(try await ask("track", "y", in: folder).code == 0)
            let script = ["OperationalState=routable", "sh", Package.file("Config/network/waypost-drain")]
            #expect(try await finish(surroundings + script, in: folder).code == 0)
            #expect(try await eventually { try server.received().count == 2 })
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func watchesFencesOfAServerAndKeepsThemWithoutIt() async throws {
            let folder = try TestFolder()
            var server: FlakyServer? = try await FlakyServer()
            try server?.setFile(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[10.262429,51.714533]},"properties":{"name":"Client","radius":200}}]}"#)
            let url = try #require(server?.url)
            try folder.write("[geofences]\nurl = \"\(url)\"\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let options = ["--config", "w.toml"]
            let first = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            #expect(
                try await eventually {
                    try await ask("fences", "list", in: folder).output.contains("Client")
                })
            _ = try await first.stop()
            server = nil
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            #expect(try await ask("fences", "list", in: folder).output.contains("Client"))
            #expect(
                try await eventually {
                    try await ask("status", in: folder).output.contains("the fences read before stay")
                })
            fifo.close()
            _ = try await second.stop()
        }

        @Test func refusesASecretThatOthersMayRead() async throws {
            let folder = try TestFolder()
            let (server, fifo) = (try await FlakyServer(), try ReceiverFIFO("receiver", in: folder))
            try folder.write("secret\n", to: "token")
            #expect(chmod(folder.path("token"), 0o644) == 0)
            let tracker = try await tracker(to: server.url, in: folder, fifo, more: "token_file = \"\(folder.path("token"))\"\n")
            let screens = try await [ask("status", in: folder), ask("dispatch", in: folder)]
            let words = screens.map { $0.output.replacing(/\s+/, with: " ") }
            #expect(words.allSatisfy { $0.contains("other users may read or change it; chmod 600") }, "\(screens)")
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func saysThatNothingIsSentWithoutADestination() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let run = try await ask("track", "x", in: folder)
            #expect(run.code != 0 && run.errors.contains("[[destination]]"), "\(run)")
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
