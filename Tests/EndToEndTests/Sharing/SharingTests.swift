import Foundation
import Glibc
import Testing
import Waypost
import WaypostPositioning
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// What other programs get at the doors of `[share]`; `sharing-proof.sh` shows the same with gpsd's own clients.
    struct SharingTests {
        private let receiver = SimulatedReceiver()

        /// A tracker that reads from a FIFO, with its doors.
        private func tracker(_ share: String, more: String = "", in folder: TestFolder) async throws -> (TrackerProcess, ReceiverFIFO) {
            try folder.write("[share]\n\(share)\n\(more)\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            return (try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"]), fifo)
        }

        private func status(_ folder: TestFolder) async throws -> String {
            try await waypost("status", "--socket", "socket", in: folder).output
        }

        @Test func tellsAClientOfGPSDEveryFix() async throws {
            let (folder, port) = (try TestFolder(), try #require(ReservedPort()))
            let (tracker, fifo) = try await tracker("gpsd = \"127.0.0.1:\(port.port)\"", in: folder)
            let client = try DoorClient(port: port.port)
            #expect(try await client.read { $0.text.hasSuffix("\r\n") })
            // As gps3 asks: without an end.
            try client.send("?WATCH={\"enable\":true,\"json\":true}")
            #expect(try await client.read { $0.lines.count >= 3 })
            #expect(client.lines.prefix(3).map { $0.dropFirst(10).prefix { $0 != "\"" } } == ["VERSION", "DEVICES", "WATCH"])
            #expect(try await status(folder).contains("share     gpsd 127.0.0.1:\(port.port): 1 client\n"))
            #expect(try await status(folder).contains("for share gpsd"))
            let sent = (0..<5).map { receiver.epoch($0) }
            for (number, epoch) in sent.enumerated() {
                try fifo.write(epoch.text)
                #expect(try await client.read { $0.positions.count == number + 1 })
                guard number == 0 else { continue }
                // gps3 keeps one line of each read: the satellites come later.
                #expect(client.reads.last?.split(separator: "\r\n").count == 1, "\(client.reads.last ?? "")")
                #expect(try await client.read { $0.lines.last?.hasPrefix("{\"class\":\"SKY\"") == true })
            }
            for (position, epoch) in zip(client.positions, sent) {
                #expect(Geodesic.distanceMetres(from: position.coordinate, to: epoch.coordinate) < 0.02)
            }
            try client.send("?POLL;\n")
            #expect(try await client.read { $0.lines.last?.hasPrefix("{\"class\":\"POLL\"") == true && $0.text.hasSuffix("\r\n") })
            fifo.close()
            #expect(try await tracker.process.exit().code == 0)
            #expect(try await !client.read { _ in false })
        }

        /// The real client library, in another tracker.
        @Test func feedsLibgps() async throws {
            let (folder, other, port) = (try TestFolder(), try TestFolder(), try #require(ReservedPort()))
            let (tracker, fifo) = try await tracker("gpsd = \"127.0.0.1:\(port.port)\"", in: folder)
            let follower = try await TrackerProcess(source: "gpsd://127.0.0.1:\(port.port)", in: other)
            let watcher = try await follower.watch("--json")
            #expect(await eventually { (try? await status(folder))?.contains("for share gpsd") == true })
            for index in 0..<8 {
                try fifo.write(receiver.epoch(index).text)
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await eventually { watcher.positions.count >= 7 })
            let sent = Dictionary(uniqueKeysWithValues: (0..<8).map { (receiver.epoch($0).time, receiver.epoch($0).coordinate) })
            for position in watcher.positions {
                let place = try #require(position.time.flatMap { sent[$0] })
                #expect(Geodesic.distanceMetres(from: position.coordinate, to: place) < 0.02)
                #expect(position.accuracy?.origin == .gpsd)
            }
            #expect(try await waypost("status", "--socket", "socket", in: other).output.contains("(gpsd 3.22)"))
            _ = try await follower.stop()
            #expect(await eventually(within: .seconds(10)) { (try? await status(folder))?.contains(": 0 clients") == true })
            fifo.close()
            _ = try await tracker.process.exit()
        }

        @Test func tellsAnEpochOfNMEAAtOnce() async throws {
            let (folder, port) = (try TestFolder(), try #require(ReservedPort()))
            let (tracker, fifo) = try await tracker(
                "nmea = \"127.0.0.1:\(port.port)\"\nnmea_socket = \"\(folder.path("run/nmea.sock"))\"", in: folder)
            let clients = [try DoorClient(port: port.port), try DoorClient(path: folder.path("run/nmea.sock"))]
            #expect(try FileManager.default.attributesOfItem(atPath: folder.path("run/nmea.sock"))[.posixPermissions] as? Int == 0o666)
            #expect(
                await eventually {
                    guard let words = try? await status(folder) else { return false }  // Tried again.
                    return words.contains("share nmea,") && words.contains("share nmea_socket\n")
                })
            // On a busy machine they came after the tracker had noticed that it has no position, and were told so.
            func fixes(_ client: DoorClient) -> Int { client.reads.count { !$0.contains("RMC,,V") } }
            for number in 1...4 {
                try fifo.write(receiver.epoch(number).text)
                for client in clients {
                    #expect(try await client.read { fixes($0) == number })
                    let read = try #require(client.reads.last)
                    // GeoClue joins the sentences of one read only. The first satellites come after their position.
                    #expect(read.hasPrefix("$GPGGA,") && read.contains("$GPRMC,") && read.hasSuffix("\r\n"), "\(read)")
                    #expect(number == 1 || read.contains("$GPGSV,"), "\(read)")
                }
            }
            for client in clients { #expect(DecodedNMEA(text: client.text).positionCount == 4) }
            let end = try await tracker.stop()
            #expect(end.code == 0 && !FileManager.default.fileExists(atPath: folder.path("run/nmea.sock")))
            fifo.close()
        }

        @Test func refusesThePortOfAnotherProgramWithASentence() async throws {
            let (folder, port) = (try TestFolder(), try #require(ReservedPort()))
            let (first, firstFIFO) = try await tracker("gpsd = \"127.0.0.1:\(port.port)\"", in: folder)
            let other = try TestFolder()
            let (second, secondFIFO) = try await tracker("gpsd = \"127.0.0.1:\(port.port)\"", in: other)
            let words =
                "[share] gpsd: 127.0.0.1:\(port.port): another program of user \(SystemAccounts.ownUserID) has this port; stop it, "
                + "or choose another port"
            #expect(await eventually(within: .seconds(10)) { second.process.errors.contains(words) }, "\(second.process.errors)")
            let status = try await waypost("status", "--socket", "socket", in: other)
            #expect(
                status.code == 1 && status.output.contains("problem   \(words)") && status.output.contains(": shut\n"), "\(status.output)")
            for (tracker, fifo) in [(first, firstFIFO), (second, secondFIFO)] {
                _ = try await tracker.stop()
                fifo.close()
            }
        }

        /// A tracker that asks its own door for positions would get its own back.
        @Test func doesNotFollowItself() async throws {
            let (folder, port) = (try TestFolder(), try #require(ReservedPort()))
            try folder.write("[share]\ngpsd = \"127.0.0.1:\(port.port)\"\n", to: "w.toml")
            let tracker = try await TrackerProcess(
                source: "gpsd://localhost:\(port.port)", in: folder, options: ["--config", "w.toml"])
            #expect(
                await eventually(within: .seconds(10)) { (try? await status(folder))?.contains("the tracker itself listens there") == true }
            )
            #expect(try await status(folder).contains(": 0 clients"))
            // Nor does anybody take it for a gpsd that has a receiver's line.
            #expect(GPSDDevices.list(port: port.port) == [])
            _ = try await tracker.stop()
        }

        @Test func tellsNothingThatIsWithheld() async throws {
            let (folder, port, nmea) = (try TestFolder(), try #require(ReservedPort()), try #require(ReservedPort()))
            let (tracker, fifo) = try await tracker(
                "gpsd = \"127.0.0.1:\(port.port)\"\nnmea = \"127.0.0.1:\(nmea.port)\"", in: folder)
            let (client, reader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
            try client.send("?WATCH={\"enable\":true,\"json\":true};")
            #expect(try await client.read { $0.text.contains("\"WATCH\"") })
            try fifo.write((0..<3).map { receiver.epoch($0).text }.joined())
            #expect(try await client.read { $0.positions.count >= 2 })
            #expect(try await reader.read { $0.text.contains("RMC,") })
            // Everything that was allowed is there before it is forbidden.
            _ = try await client.read(within: 1) { _ in false }
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            let told = client.lines.count
            try fifo.write((3..<6).map { receiver.epoch($0).text }.joined())
            try client.send("?POLL;")
            #expect(try await client.read { $0.text.contains("\"POLL\"") })
            try await Task.sleep(for: .milliseconds(700))
            _ = try await client.read(within: 1) { _ in false }
            let after = client.lines.dropFirst(told)
            #expect(!after.contains { $0.contains("\"lat\"") || $0.contains("\"PRN\"") }, "\(after)")
            #expect(after.contains { $0.contains("\"tpv\":[{\"class\":\"TPV\",\"device\":\"waypost\",\"mode\":1}]") })
            #expect(try await reader.read { $0.lines.last?.contains("RMC,,V,") == true })
            // Who comes only now is told that there is no fix, rather than nothing.
            let (newClient, newReader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
            try newClient.send("?WATCH={\"enable\":true,\"json\":true};")
            #expect(
                try await newClient.read { $0.lines.last == "{\"class\":\"TPV\",\"device\":\"waypost\",\"mode\":1}" }, "\(newClient.text)")
            #expect(try await newReader.read { $0.text.contains("RMC,,V,") })
            fifo.close()
            _ = try await tracker.stop()
        }

        /// Who asks during the hour after a coarse place was told gets that place, and no satellites above the true one.
        @Test func tellsOnlyTheCoarsePlaceOfAZone() async throws {
            let (folder, port, nmea) = (try TestFolder(), try #require(ReservedPort()), try #require(ReservedPort()))
            let place = receiver.epoch(0).coordinate
            let (tracker, fifo) = try await tracker(
                "gpsd = \"127.0.0.1:\(port.port)\"\nnmea = \"127.0.0.1:\(nmea.port)\"",
                more: "[privacy]\nzones = [\"home: \(place.latitudeDegrees), \(place.longitudeDegrees), 200 m\"]\ninside = \"coarse\"",
                in: folder)
            let (client, reader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
            try client.send("?WATCH={\"enable\":true,\"json\":true};")
            #expect(try await client.read { $0.text.contains("\"WATCH\"") })
            try fifo.write((0..<6).map { receiver.epoch($0).text }.joined())
            #expect(try await client.read { !$0.positions.isEmpty })
            try client.send("?POLL;")
            #expect(try await client.read { $0.text.contains("\"POLL\"") })
            _ = try await client.read(within: 1) { _ in false }
            _ = try await reader.read(within: 1) { _ in false }
            let tenths = try #require(client.positions.first).coordinate.latitudeDegrees * 10
            #expect(client.positions.count == 1 && abs(tenths - tenths.rounded()) < 1e-6, "\(client.text)")
            #expect(!client.text.contains("\"PRN\"") && !client.text.contains("\"speed\"") && !client.text.contains("altMSL"))
            #expect(!reader.text.contains("GSV") && !reader.text.contains("VTG"))
            let decoded = DecodedNMEA(text: reader.text)
            #expect(decoded.positionCount == 1)
            fifo.close()
            _ = try await tracker.stop()
        }

        /// The next place would come with the next quarter of an hour, or with the next cell.
        @Test func tellsANewcomerTheReducedPlaceAtOnce() async throws {
            let (folder, port, nmea) = (try TestFolder(), try #require(ReservedPort()), try #require(ReservedPort()))
            try folder.write("[door]\ngpsd = \"reduced\"\nnmea = \"reduced\"\n", to: "policy.toml")
            chmod(folder.path("policy.toml"), 0o600)
            let (tracker, fifo) = try await tracker(
                "gpsd = \"127.0.0.1:\(port.port)\"\nnmea = \"127.0.0.1:\(nmea.port)\"", more: "[control]\npolicy = \"policy.toml\"",
                in: folder)
            // Before there is any, too, it is said that there is none.
            let (early, earlyReader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
            try early.send("?WATCH={\"enable\":true,\"json\":true};")
            #expect(try await early.read(within: 5) { $0.text.contains("\"mode\":1") }, "\(early.text)")
            #expect(try await earlyReader.read(within: 5) { $0.text.contains("RMC,,V,") }, "\(earlyReader.text)")
            try fifo.write((0..<6).map { receiver.epoch($0).text }.joined())
            #expect(try await early.read { !$0.positions.isEmpty }, "\(early.text)")
            for _ in 0..<2 {
                let (client, reader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
                try client.send("?WATCH={\"enable\":true,\"json\":true};")
                #expect(try await client.read(within: 5) { $0.positions.count == 1 }, "\(client.text)")
                #expect(client.positions.first?.coordinate == early.positions.first?.coordinate)
                #expect(try await reader.read(within: 5) { DecodedNMEA(text: $0.text).positionCount == 1 }, "\(reader.text)")
            }
            fifo.close()
            _ = try await tracker.stop()
        }

        /// In private mode, and after an erasure, nobody is told the reduced place either: not those who listen, and not those who come.
        @Test(arguments: ["private", "erase"]) func withdrawsTheReducedPlaceAtOnce(by way: String) async throws {
            let (folder, port, nmea) = (try TestFolder(), try #require(ReservedPort()), try #require(ReservedPort()))
            try folder.write("[door]\ngpsd = \"reduced\"\nnmea = \"reduced\"\n", to: "policy.toml")
            chmod(folder.path("policy.toml"), 0o600)
            let (tracker, fifo) = try await tracker(
                "gpsd = \"127.0.0.1:\(port.port)\"\nnmea = \"127.0.0.1:\(nmea.port)\"", more: "[control]\npolicy = \"policy.toml\"",
                in: folder)
            try fifo.write((0..<6).map { receiver.epoch($0).text }.joined())
            func clients() throws -> (DoorClient, DoorClient) {
                let (client, reader) = (try DoorClient(port: port.port), try DoorClient(port: nmea.port))
                try client.send("?WATCH={\"enable\":true,\"json\":true};")
                return (client, reader)
            }
            let (early, earlyReader) = try clients()
            #expect(try await early.read { !$0.positions.isEmpty }, "\(early.text)")
            #expect(try await earlyReader.read { DecodedNMEA(text: $0.text).positionCount == 1 }, "\(earlyReader.text)")
            let order =
                way == "private"
                ? ["private", "on"] : ["log", "erase", "--log", "log", "--from", "2026-03-01", "--to", "2026-03-02", "--yes"]
            #expect(try await finish([Program.waypost.path] + order + ["--socket", "socket"], in: folder).code == 0)
            #expect(try await early.read(within: 5) { $0.text.contains("\"mode\":1") }, "\(early.text)")
            #expect(try await earlyReader.read(within: 5) { $0.text.contains("RMC,,V,") }, "\(earlyReader.text)")
            for _ in 0..<2 {
                let (client, reader) = try clients()
                try client.send("?POLL;")
                _ = try await client.read(within: 2) { _ in false }
                _ = try await reader.read(within: 1) { _ in false }
                #expect(client.positions.isEmpty && !client.text.contains("\"lat\""), "\(client.text)")
                #expect(DecodedNMEA(text: reader.text).positionCount == 0, "\(reader.text)")
                // Switching it off says nothing before the next quarter of an hour.
                if way == "private" {
                    #expect(try await finish([Program.waypost.path, "private", "off", "--socket", "socket"], in: folder).code == 0)
                }
            }
            fifo.close()
            _ = try await tracker.stop()
        }

        /// Clients that do not read cost nobody anything.
        @Test func delaysNobodyForAClientThatHangs() async throws {
            let (folder, port) = (try TestFolder(), try #require(ReservedPort()))
            let (tracker, fifo) = try await tracker("gpsd = \"127.0.0.1:\(port.port)\"", in: folder)
            let stuck = try (0..<8).map { _ in try DoorClient(port: port.port) }
            for client in stuck { try client.send("?WATCH={\"enable\":true,\"json\":true,\"nmea\":true};") }
            let client = try DoorClient(port: port.port)
            try client.send("?WATCH={\"enable\":true,\"json\":true};")
            #expect(try await client.read { $0.text.contains("\"WATCH\"") })
            // More than the buffers of those that hang hold.
            let count = 3_000
            let before = try #require(tracker.process.anonymousKilobytes)
            for start in stride(from: 0, to: count, by: 50) {
                try fifo.write((start..<start + 50).map { receiver.epoch($0).text }.joined())
                #expect(try await client.read { $0.positions.count >= start + 49 }, "after \(client.positions.count) of \(start + 50)")
            }
            let after = try #require(tracker.process.anonymousKilobytes)
            #expect(after - before < 4_096, "\(before) -> \(after) KiB")
            #expect(try await status(folder).contains("9 clients"))
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}

/// NMEA as our own decoder reads it.
private struct DecodedNMEA {
    let positionCount: Int

    init(text: String) {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        decoder.decode(Array(text.utf8).span, into: &events)
        decoder.finish(into: &events)
        positionCount = events.count { if case .epoch(let epoch) = $0 { epoch.position != nil } else { false } }
    }
}
