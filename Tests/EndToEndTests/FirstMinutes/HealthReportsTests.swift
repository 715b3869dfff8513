import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// Reports of the tracker's health, at real servers and a real broker.
    struct HealthReportsTests {
        @Test(.enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
        func tellsEachKindAtItsOwnInterval() async throws {
            let folder = try TestFolder()
            let (often, seldom, never) = (try await FlakyServer(), try await FlakyServer(), try await FlakyServer())
            let (owntracks, traccar) = (try await FlakyServer(), try await FlakyServer())
            let broker = try await MosquittoBroker()
            let consumer = try MQTTConsumer(broker.url, topic: "#")
            _ = try await consumer.client.connect()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            defer { fifo.close() }
            let destinations = [
                ("often", "http", often.url, "health = 2"), ("seldom", "http", seldom.url, "health = \"5 s\""),
                ("never", "http", never.url, ""),
                ("owntracks", "owntracks", owntracks.url, "user = \"mia\"\nhealth = 2"), ("traccar", "traccar", traccar.url, "health = 2"),
                ("broker", "mqtt", broker.url, "health = 2"),
            ]
            let text = destinations.map { name, kind, url, more in
                "[[destination]]\nname = \"\(name)\"\nkind = \"\(kind)\"\nurl = \"\(url)\"\ninterval = 1\npositions = false\n\(more)\n"
            }
            try folder.write(text.joined(separator: "\n"), to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            func reports(_ server: FlakyServer) throws -> [JSONValue] {
                try server.received().filter { $0["class"]?.string == "HEALTH" }.compactMap { $0["report"] }
            }
            #expect(try await eventually { try reports(often).count >= 4 && reports(seldom).count >= 1 })
            #expect(try reports(seldom).count < reports(often).count)
            #expect(try never.received().isEmpty)
            for (server, name) in [(often, "often"), (seldom, "seldom")] {
                let report = try #require(try reports(server).last)
                #expect(report["destination"]?.string == name)
                #expect(report["version"]?.string?.isEmpty == false)
                #expect(report["uptime"]?.int ?? -1 >= 1 && report["waiting"]?.int ?? -1 >= 0)
                #expect(report["disk_free"]?.int ?? 0 > 0 && report["fences"]?.int == 0)
                #expect(["certain", "confirmed", "doubted", "unknown"].contains(report["clock"]?.string))
            }
            #expect(try await eventually { try owntracks.received().contains { $0["_type"]?.string == "status" } })
            let status = try #require(try owntracks.received().first { $0["_type"]?.string == "status" })
            #expect(status["linux"]?["destination"]?.string == "owntracks")
            #expect(try await eventually { try traccar.received().contains { $0["event"]?.string == "health" } })
            let attributes = try #require(try traccar.received().first { $0["event"]?.string == "health" })
            #expect(attributes["version"]?.string?.isEmpty == false && attributes["lat"] == nil, "\(attributes)")
            #expect(await eventually { consumer.records.contains { $0["class"]?.string == "HEALTH" } })
            let published = consumer.records.filter { $0["class"]?.string == "HEALTH" }.compactMap { $0["report"]?["destination"]?.string }
            #expect(Set(published) == ["broker"])
            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
        }

        @Test func refusesAReportThatTheKindHasNoWordFor() async throws {
            let folder = try TestFolder()
            try folder.write(
                "[[destination]]\nname = \"t\"\nkind = \"tealium\"\naccount = \"a\"\nurl = \"https://x.example/event\"\nhealth = \"1 h\"\n",
                to: "w.toml")
            let check = try await waypost("config", "check", "w.toml", in: folder)
            #expect(check.code == 78 && check.errors.contains("health: is not possible with kind \"tealium\""), "\(check)")
        }
    }
}
