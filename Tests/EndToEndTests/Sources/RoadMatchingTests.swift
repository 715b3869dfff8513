import Foundation
import Glibc
import Testing
import Waypost
import WaypostControl

extension EndToEnd {
    /// `[matching]`: the tracker puts positions on the roads of a file that `waypost roads build` has made.
    struct RoadMatchingTests {
        /// Two streets that meet at 8.706 degrees east, and a third one beside the first.
        private static let map = """
            n1 x8.69 y49.4
            n2 x8.706 y49.4
            n3 x8.706 y49.41
            n4 x8.69 y49.4006
            n5 x8.704 y49.4006
            w7 Thighway=primary,name=Hauptstra%df%e,maxspeed=50 Nn1,n2
            w8 Thighway=residential,name=Gartenweg,oneway=yes Nn2,n3
            w9 Thighway=service,name=Hinterhof Nn4,n5

            """

        /// The line of the first street.
        private static let latitude = 49.4

        private func folder(_ configuration: String) async throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write(RoadMatchingTests.map, to: "street.opl")
            try folder.write(configuration, to: "waypost.toml")
            #expect(try await waypost("roads", "build", "street.opl", "street.roads", in: folder).code == 0)
            let route = try await waypost(
                "route", "street.roads", "--from", "49.4,8.703", "--to", "49.404,8.706", in: folder)
            #expect(route.code == 0, "\(route.errors)")
            try folder.write(route.output, to: "drive.gpx")
            return folder
        }

        private func exported(_ type: String, in folder: TestFolder) async throws -> [Position] {
            let exported = try await waypost("log", "export", "--log", "log", "--format", "jsonl", "--type", type, in: folder)
            return exported.outputLines.compactMap { line in
                guard case .position(let position)? = try? TPVCodec.decode(Array(line.utf8)) else { return nil }
                return position
            }
        }

        private static let drive = "route:drive.gpx?speed=20&interval=0.5&noise=4"

        /// The simulator drives a calculated route with a receiver's errors, and the tracker says on which road it is.
        @Test func namesTheRoadsOfASimulatedDrive() async throws {
            let folder = try await folder(
                """
                [log]
                types = ["raw", "matched", "current"]
                [matching]
                roads = "street.roads"
                enabled = true

                """)
            let tracker = try await TrackerProcess(
                source: RoadMatchingTests.drive, in: folder, options: ["--config", "waypost.toml"])
            let people = try await tracker.watch("--roads")
            let programs = try await tracker.watch("--roads", "--json")
            let status = try await waypost("status", "--socket", "socket", in: folder)
            #expect(
                status.outputLines.contains { $0.hasPrefix("road      on Hauptstraße (primary, 50 km/h, way 7), ") }, "\(status.output)")
            let report = try StatusReport(line: Array(try await waypost("status", "--socket", "socket", "--json", in: folder).output.utf8))
            #expect(report.roads?.isMatching == true && report.roads?.isCovered == true && report.roads?.mode == "car")
            #expect(report.roads?.place?.road?.wayID == 7)
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            _ = try await people.exit()
            _ = try await programs.exit()
            let roads = people.output.split(separator: "\n").filter { $0.hasPrefix("on ") || $0.hasPrefix("off ") }
            #expect(roads.first == "on Hauptstraße (primary, 50 km/h, way 7)", "\(people.output)")
            #expect(roads.last == "on Gartenweg (residential, 30 km/h, one-way, way 8)", "\(people.output)")
            let lines = try programs.output.split(separator: "\n").map { try WatchLine(line: Array($0.utf8)) }
            let matches = lines.compactMap { if case .matched(let match) = $0 { match } else { nil } }
            let positions = lines.count { if case .position = $0 { true } else { false } }
            #expect(abs(matches.count - positions) <= 1 && matches.count > 50)
            let ways = matches.map { $0.road?.wayID }
            #expect(Double(ways.count { $0 == 7 || $0 == 8 }) > 0.95 * Double(ways.count), "\(ways)")
            // The log has both, and what is matched lies on the line of the street, without the receiver's errors.
            let raw = try await exported("raw", in: folder)
            let matched = try await exported("matched", in: folder)
            #expect(raw.count >= matched.count && Double(matched.count) > 0.95 * Double(raw.count))
            let onStreet = matched.filter { $0.coordinate.longitudeDegrees < 8.7055 }
            #expect(onStreet.count > 15 && onStreet.allSatisfy { abs($0.coordinate.latitudeDegrees - RoadMatchingTests.latitude) < 2e-6 })
            #expect(raw.contains { abs($0.coordinate.latitudeDegrees - RoadMatchingTests.latitude) > 2e-5 })
            #expect(try await exported("current", in: folder).count == raw.count)
        }

        /// Without anybody who needs it nothing is matched.
        @Test func matchesForThoseWhoAskForIt() async throws {
            let folder = try await folder("[matching]\nroads = \"street.roads\"\n")
            let tracker = try await TrackerProcess(
                source: RoadMatchingTests.drive, in: folder, options: ["--config", "waypost.toml"])
            func isMatching() async throws -> Bool? {
                let status = try await waypost("status", "--socket", "socket", "--json", in: folder)
                return try StatusReport(line: Array(status.output.utf8)).roads?.isMatching
            }
            #expect(try await isMatching() == false)
            let watcher = try await tracker.watch("--roads", "--json", "--count", "8")
            #expect(try await isMatching() == true)
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            #expect(watcher.output.contains(#""name":"Hauptstraße""#), "\(watcher.output)")
            #expect(await eventually { (try? await isMatching()) == false })
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        /// Who may only know roughly where the device is learns no road, and neither does who may know nothing.
        @Test(.enabled(if: Program.canRunAsNobody, "another user cannot reach the programs")) func tellsNoRoadToOthers() async throws {
            try #require(getuid() == 0)
            let folder = try await folder("[matching]\nroads = \"street.roads\"\nenabled = true\n")
            let tracker = try await TrackerProcess(
                source: RoadMatchingTests.drive, in: folder, options: ["--config", "waypost.toml"])
            let mine = try await tracker.watch("--roads", "--json", "--count", "4")
            #expect(try await mine.exit() == ProgramExit(code: 0))
            #expect(mine.output.contains("way_id"))
            func asNobody(_ arguments: String...) async throws -> String {
                let run = try await finish(
                    Program.asNobody + [Program.waypost.path] + arguments + ["--socket", folder.path("socket")], in: folder)
                return run.output + run.errors
            }
            for level in ["none", "reduced"] {
                let granted = try await waypost("grant", "nobody", level, "--socket", "socket", in: folder)
                #expect(granted.code == 0, "\(granted.errors)")
                let watched = try await asNobody("watch", "--roads", "--json", "--timeout", "4s")
                let told = try await watched + asNobody("status", "--json") + asNobody("capabilities", "--json")
                #expect(told.contains("\"lat\"") == (level == "reduced"), "\(told)")
                for word in ["MATCHED", "way_id", "Haupt", "\"roads\"", "primary"] { #expect(!told.contains(word), "\(level): \(told)") }
            }
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        /// The page matches while it is open, and names the road to its owner; guests see the place alone.
        @Test func namesTheRoadToTheOwnerOfThePage() async throws {
            let folder = try await folder("")
            let page = try await OpenPage(RoadMatchingTests.drive, in: folder, more: "[matching]\nroads = \"street.roads\"\n")
            let guest = try await waypost("page", "share", "--hours", "1", "--socket", "socket", in: folder).output
            let token = try #require(guest.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "?token=").last)
            func stream(_ header: String) throws -> String {
                let socket = try BrowserSocket(port: page.port)
                defer { socket.end() }
                socket.send("GET /api/v1/stream HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\(header)\r\n\r\n")
                return socket.read { $0.components(separatedBy: "event: matched").count > 3 }
            }
            let owner = try stream(OpenPage.bearer)
            #expect(owner.contains(#""name":"Hauptstraße""#), "\(owner)")
            let shown = try stream("Authorization: Bearer \(token)")
            #expect(shown.contains(#""confidence":"#) && !shown.contains("Hauptstra") && !shown.contains("way_id"), "\(shown)")
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        /// The ground of the page's map: lines of roads where they are, for the owner alone.
        @Test func givesTheRoadsToTheOwnersMap() async throws {
            let folder = try await folder("")
            let page = try await OpenPage(RoadMatchingTests.drive, in: folder, more: "[matching]\nroads = \"street.roads\"\n")
            let state = try page.json("/api/v1/state")
            let ground = try #require(state["ground"])
            #expect(ground["notice"]?.string == "(c) OpenStreetMap contributors, ODbL 1.0, https://www.openstreetmap.org/copyright")
            // The tile of 49.4 N 8.69 E, by OpenStreetMap's formula.
            let path = "/api/v1/roads/14/8587/5598"
            let answer = try page.get(path)
            let tile = try page.json(path)
            #expect(tile["class"]?.string == "ROADS" && tile["version"] == ground["version"] && tile["left_out"]?.int == 0)
            let line = try #require(tile["lines"]?.array?[1].array?.first?.array)
            let main = line.compactMap(\.int)
            #expect(main.first == 7 && abs(main[1] - 4_027) <= 1 && abs(main[2] - 6_287) <= 1 && main[3] > 0 && main[4] == 0, "\(main)")
            #expect(tile["lines"]?.array?.map { $0.array?.count ?? 0 } == [0, 1, 0, 1, 0, 0])
            // Every browser asks again, and gets it once.
            let tag = try #require(answer.headers["etag"])
            #expect(try BrowserSocket.get(path, port: page.port, OpenPage.bearer, "If-None-Match: \(tag)").status == 304)
            for odd in ["15/1/1", "14/-1/0", "14/1", "14/x/1", "9/512/0", "14/1/1/1", ""] {
                #expect(try page.get("/api/v1/roads/\(odd)").status == 400, "\(odd)")
            }
            // The area of a file may be that around a home.
            let guest = try await waypost("page", "share", "--hours", "1", "--socket", "socket", in: folder).output
            let token = try #require(guest.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "?token=").last)
            #expect(try page.get(path, "Authorization: Bearer \(token)").status == 403)
            let shown = try page.json("/api/v1/state", "Authorization: Bearer \(token)")
            #expect(shown["class"]?.string == "STATE" && shown["ground"] == nil)
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        @Test func changesTheModeWhileItRuns() async throws {
            let folder = try await folder("[matching]\nroads = \"street.roads\"\nenabled = true\n")
            let tracker = try await TrackerProcess(
                source: RoadMatchingTests.drive, in: folder, options: ["--config", "waypost.toml"])
            func ask(_ arguments: String...) async throws -> String {
                let run = try await finish([Program.waypost.path] + arguments + ["--socket", "socket"], in: folder)
                return "\(run.code ?? -1) \(run.output)\(run.errors)"
            }
            #expect(try await ask("roads", "mode") == "0 car\n")
            #expect(try await ask("roads", "mode", "foot") == "0 foot\n")
            #expect(try await ask("capabilities").contains("positions are matched to roads, for walkers (waypost roads mode): yes\n"))
            #expect(try await ask("capabilities", "--json").contains(#""map_match_mode":"foot""#))
            #expect(try await ask("status", "--json").contains(#""mode":"foot""#))
            #expect(tracker.process.errors.contains("positions are put on roads for foot (user "))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            let other = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await ask("roads", "mode", "car").contains("matching: no road file is configured; name one as [matching] roads"))
            #expect(try await ask("capabilities", "--json").contains("map_match_mode") == false)
            #expect(try await other.stop() == ProgramExit(code: 0))
        }

        /// What `status` says of the file and of the road must fit together.
        @Test func saysThatItGoesOnWithTheRoadsThatItHasRead() async throws {
            let folder = try await folder("[matching]\nroads = \"street.roads\"\nenabled = true\n")
            let tracker = try await TrackerProcess(
                source: RoadMatchingTests.drive, in: folder, options: ["--config", "waypost.toml"])
            func status() async throws -> String { try await waypost("status", "--socket", "socket", in: folder).output }
            #expect(await eventually { (try? await status().contains("road      on Haupt")) == true })
            try folder.write("no roads", to: "new")
            try FileManager.default.moveItem(atPath: folder.path("street.roads"), toPath: folder.path("kept"))
            try FileManager.default.moveItem(atPath: folder.path("new"), toPath: folder.path("street.roads"))
            let bad = "street.roads: is not a road file; until that is mended, the tracker goes on with the roads that it read at 20"
            #expect(await eventually { (try? await status().contains(bad)) == true })
            #expect(try await status().contains("road      on "))
            try FileManager.default.removeItem(atPath: folder.path("street.roads"))
            let gone = "street.roads: cannot be read: No such file or directory; until that is mended, the tracker goes on with the roads"
            #expect(await eventually { (try? await status().contains(gone)) == true })
            try FileManager.default.moveItem(atPath: folder.path("kept"), toPath: folder.path("street.roads"))
            #expect(await eventually { (try? await status().contains("[matching] roads")) == false })
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        @Test func goesOnWithoutRoadsThatItCannotUse() async throws {
            let folder = try await folder("[matching]\nroads = \"drive.gpx\"\nenabled = true\n")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "waypost.toml"])
            let watcher = try await tracker.watch("--json", "--count", "2")
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            let capabilities = try await waypost("capabilities", "--socket", "socket", "--json", in: folder)
            #expect(capabilities.output.contains(#""map_matching":false"#), "\(capabilities.output)")
            let status = try await waypost("status", "--socket", "socket", in: folder)
            #expect(status.output.contains("problem   [matching] roads: drive.gpx: is not a road file"), "\(status.output)")
            // It has no area that the device could be outside of.
            #expect(status.output.contains("road      none: no road file can be used"), "\(status.output)")
            // Another file takes its place, and is used as soon as it is there.
            try FileManager.default.moveItem(atPath: folder.path("street.roads"), toPath: folder.path("new"))
            try FileManager.default.removeItem(atPath: folder.path("drive.gpx"))
            try FileManager.default.moveItem(atPath: folder.path("new"), toPath: folder.path("drive.gpx"))
            #expect(await eventually { tracker.process.errors.contains("[matching] roads: drive.gpx can be used again") })
            let elsewhere = try await waypost("status", "--socket", "socket", in: folder)
            #expect(elsewhere.output.contains("road      none: the road file does not have this area"), "\(elsewhere.output)")
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(tracker.process.errors.contains("[matching] roads: drive.gpx: is not a road file"), "\(tracker.process.errors)")
        }
    }
}
