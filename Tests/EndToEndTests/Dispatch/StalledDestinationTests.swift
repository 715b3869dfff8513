import Testing
import WaypostTestKit

extension EndToEnd {
    /// What is not sent is no health, and whoever sends knows who will not get it.
    @Suite struct StalledDestinationTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        /// Two servers: one hangs up, the other one takes the request and never answers.
        @Test func degradesTheStatus() async throws {
            let folder = try TestFolder()
            let (drops, hangs) = (try await FlakyServer("drop"), try await FlakyServer("slow 600"))
            try folder.write(
                """
                [[destination]]
                name = "drops"
                url = "\(drops.url)"
                interval = "1 s"

                [[destination]]
                name = "hangs"
                url = "\(hangs.url)"
                interval = "1 s"
                timeout = "5 min"

                """, to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let receiver = SimulatedReceiver()
            let start = ContinuousClock.now
            var (early, late) = (nil as Finished?, nil as Finished?)
            // Positions come all the while: nothing else is wrong.
            for index in 0..<90 where late == nil {
                try fifo.write(receiver.epoch(index).text)
                try await Task.sleep(for: .seconds(1))
                if index == 30 { early = try await ask("status", in: folder) }
                if index >= 66 { late = try await ask("status", in: folder) }
            }
            // A gap in the network is none of anybody's business.
            #expect(early?.code == 0 && early?.output.contains(": healthy") ?? false, "\(String(describing: early))")
            let told = try #require(late)
            #expect(told.code == 1 && told.output.contains(": degraded"), "\(told)")
            #expect(told.output.contains("destination drops has taken nothing for "), "\(told)")
            #expect(told.output.contains("destination hangs has taken nothing for "), "\(told)")
            #expect(told.output.contains("it has not answered yet"), "\(told)")
            let json = try await ask("status", "--json", in: folder)
            #expect(json.code == 1 && json.output.contains(#""health":"degraded""#), "\(json)")
            #expect(json.output.contains("destination drops has taken nothing for"), "\(json)")
            #expect(ContinuousClock.now - start > .seconds(60))
            // Healthy again as soon as it moves; what is said of the other one stays.
            try drops.setMode("ok")
            _ = try await ask("dispatch", "now", "drops", "--wait", "--timeout", "30", in: folder)
            try fifo.write(receiver.epoch(91).text)
            let half = try await ask("status", in: folder)
            #expect(!half.output.contains("destination drops has") && half.output.contains("destination hangs has"), "\(half)")
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func isNamedWhenItWillNotGetAnEvent() async throws {
            let folder = try TestFolder()
            let common = "interval = \"1 h\"\nurl = \"http://127.0.0.1:9/in\"\n"
            try folder.write(
                """
                [[destination]]
                name = "family"
                kind = "owntracks"
                user = "me"
                \(common)
                [[destination]]
                name = "home"
                \(common)
                """, to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let without = try await ask("track", "delivered", "parcel=7", in: folder)
            #expect(without.code == 0 && without.output == "")
            #expect(without.errors == "waypost: track: family will not get it: OwnTracks takes no event without a position\n")
            let list = try await ask("ledger", in: folder)
            #expect(list.code == 0 && list.output.contains("delivered"), "\(list)")
            let receiver = SimulatedReceiver()
            for index in 0..<3 { try fifo.write(receiver.epoch(index).text) }
            #expect(try await eventually { try await ask("status", in: folder).output.contains("position  47.") })
            let with = try await ask("track", "delivered", "parcel=8", in: folder)
            #expect(with.code == 0 && with.output == "" && with.errors == "", "\(with)")
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
