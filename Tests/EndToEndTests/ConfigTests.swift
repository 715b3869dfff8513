import Foundation
import Testing
import Waypost

extension EndToEnd {
    /// `waypost config` beside the tracker.
    struct ConfigTests {
        private func folder() throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write("[log]\n  sync_interval = \"5 s\"\n[[source]]\nurl = \"sim:walk\"\n", to: "waypost.toml")
            return folder
        }

        @Test func showsWhatIsInForceAndWhereItComesFrom() async throws {
            let run = try await waypost("config", "show", "waypost.toml", in: folder())
            #expect(run.code == 0)
            #expect(
                run.output == """
                    [[source]]
                    url = "sim:walk"  # waypost.toml:4

                    [log]
                    sync_interval = "5 s"  # waypost.toml:2

                    """)
        }

        @Test func showsEveryDefaultAndCanBeReadAgain() async throws {
            let folder = try folder()
            let shown = try await waypost("config", "show", "waypost.toml", "--all", in: folder)
            #expect(shown.code == 0)
            try folder.write(shown.output, to: "again.toml")
            #expect(try await waypost("config", "check", "again.toml", in: folder).code == 0)
            let again = try await waypost("config", "show", "again.toml", "--all", "--json", in: folder)
            let first = try await waypost("config", "show", "waypost.toml", "--all", "--json", in: folder)
            #expect(again.output.split(separator: "\n").count == first.output.split(separator: "\n").count)
        }

        /// What a later file replaces is told wherever somebody may look for a zone or a source that is gone.
        @Test func tellsWhatALaterFileReplaces() async throws {
            let folder = try folder()
            try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: true)
            try folder.write("[[source]]\nurl = \"sim:city\"\n", to: "conf.d/city.toml")
            let words = "[[source]] replaces those of waypost.toml:4; write all that are meant into one file"
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "waypost.toml"])
            let status = try await waypost("status", "--socket", "socket", in: folder)
            #expect(status.output.contains("\nconfig    conf.d/city.toml:2:1: \(words)\n"), "\(status)")
            let json = try await waypost("status", "--socket", "socket", "--json", in: folder)
            #expect(try JSONParser().parse(Array(json.output.utf8))["replaced"]?.array?.count == 1)
            let doctor = try await waypost("doctor", "--socket", "socket", in: folder)
            #expect(
                doctor.output.contains("note: configuration: [[source]] replaces those of ") && doctor.output.contains("conf.d/city.toml:2")
            )
            _ = try await tracker.stop()
        }

        /// All keys of a section, each once, with the values of each section of that name.
        @Test func explainsASection() async throws {
            let folder = try folder()
            let two = ["a", "b"].map { "[[destination]]\nname = \"\($0)\"\nurl = \"https://\($0).example/\"\n" }.joined()
            try folder.write(two, to: "two.toml")
            let run = try await waypost("config", "explain", "destination", "--config", "two.toml", in: folder)
            #expect(run.code == 0 && run.output.hasPrefix("[[destination]]\nWhere positions and events are sent."))
            let urls =
                "In force for \"a\": \"https://a.example/\" (two.toml:3:1)\nIn force for \"b\": \"https://b.example/\" (two.toml:6:1)\n"
            #expect(run.output.contains(urls), "\(run.output)")
            #expect(run.output.split(separator: "\n").count { $0 == "[[destination]] url" } == 1)
        }

        @Test func explainsAKey() async throws {
            let run = try await waypost("config", "explain", "log.sync_interval", "--config", "waypost.toml", in: folder())
            #expect(run.code == 0)
            #expect(run.output.contains("Default: \"10 s\"\nIn force: \"5 s\" (waypost.toml:2:3)\n"))
            let wrong = try await waypost("config", "explain", "sync_intervall", in: folder())
            #expect(wrong.code == 64)
            #expect(wrong.complaints.first?.hasSuffix("did you mean sync_interval?") == true)
        }

        /// One run says everything that is wrong.
        @Test func reportsFilesBesideOtherMistakes() async throws {
            let folder = try TestFolder()
            let lines = [
                "[display]", "units = \"miles\"", "[[source]]", "url = \"nmea:/nope\"", "[power]", "hook = \"/nope -a\"", "[time]",
                "chrony_sock = \"x\"", "[[destination]]", "url = \"https://a:99999/in\"", "ca_file = \"/nope\"",
            ]
            try folder.write(lines.joined(separator: "\n") + "\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 78)
            for line in [2, 4, 6, 8, 10, 11] {
                #expect(run.complaints.contains { $0.contains("waypost.toml:\(line):") }, "line \(line): \(run.complaints)")
            }
        }

        /// A mistake of one kind hides neither one of another kind nor a warning.
        @Test func hidesNothingBehindAMistake() async throws {
            let folder = try TestFolder()
            let lines = [
                "[log]", "max_age = \"3 x\"", "[map]", "listen = \"0.0.0.0:7575\"", "[[destination]]", "kind = \"http\"",
                "url = \"https://a.example/\"", "account = \"a\"",
            ]
            try folder.write(lines.joined(separator: "\n") + "\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 78 && run.complaints.count == 3, "\(run.complaints)")
            #expect(run.complaints.first?.contains("waypost.toml:2:") == true)
            #expect(run.complaints.dropFirst().first?.contains("waypost.toml:4:1: [map] listen: ") == true)
            #expect(
                run.complaints.last?.contains("warning: waypost.toml:8:1: [[destination]] account: kind \"http\" does not use it") == true)
            // What a mistake left unread may be what would make it right.
            try folder.write("[map]\nlisten = \"0.0.0.0:7575\"\ninsecure_lan = \"yes\"\n", to: "waypost.toml")
            let unread = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(unread.complaints.count == 1 && unread.errors.contains("waypost.toml:3:"), "\(unread.complaints)")
            try folder.write((lines.dropFirst(4).joined(separator: "\n") + "\n").replacing("kind", with: "kidn"), to: "waypost.toml")
            let unsure = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(unsure.complaints.count == 1 && unsure.errors.contains("did you mean 'kind'?"), "\(unsure.complaints)")
        }

        /// A recording that convert reads in part only is no mistake, as what can be read is played, but it is said.
        @Test func warnsOfARecordingThatIsCut() async throws {
            let folder = try TestFolder()
            _ = try await shell(
                "waypost convert \(Package.drive) drive.gpx.gz && head -c 9000 drive.gpx.gz >cut.gpx.gz && "
                    + "waypost convert cut.gpx.gz cut.jsonl; gzip -d <cut.gpx.gz >cut.gpx", in: folder)
            try folder.write("[[source]]\nurl = \"gpx:cut.gpx.gz\"\n[[source]]\nurl = \"gpx:drive.gpx.gz\"\n", to: "w.toml")
            let run = try await waypost("config", "check", "w.toml", in: folder)
            let points = try String(contentsOfFile: folder.path("cut.gpx"), encoding: .utf8).matches(of: #/<\/trkpt>/#).count
            #expect(points > 100)
            #expect(run.code == 0 && run.output.contains("ok") && run.complaints.count == 1, "\(run)")
            let start = "waypost: warning: w.toml:2:1: [[source]] url: cut.gpx.gz: "
            let end = "the gzip file is cut; \(points) positions can be read, the last of "
            #expect(run.complaints.first?.hasPrefix(start) == true && run.errors.contains(end), "\(run.errors)")
        }

        @Test(arguments: ["log", "dispatch"]) func warnsOfSecondsThatMayBeDays(section: String) async throws {
            let folder = try TestFolder()
            try folder.write("[\(section)]\nmax_age = 30\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 0 && run.errors.contains("write \"30 d\" if days are meant"), "\(run)")
        }

        @Test(arguments: [
            ("log", "max_age = \"30\"", "\"30 d\" if days"), ("log", "max_age = 30.0 # days", "\"30 d\" if days"),
            ("dispatch", "max_age = '7'", "\"7 d\" if days"), ("log", "max_bytes = 100", "\"100 MB\" if megabytes"),
            ("log", "rotate_bytes = 16", "\"16 MB\" if megabytes"), ("log", "min_free = 500", "\"500 MB\" if megabytes"),
            ("dispatch", "max_bytes = 64", "\"64 MB\" if megabytes"), ("log", "max_age = \"30 d\"", nil), ("log", "max_age = 0", nil),
            ("log", "max_bytes = 64000000", nil), ("log", "rotate_bytes = \"16 kB\"", nil),
        ])
        func warnsOfLimitsWithoutAUnit(section: String, line: String, words: String?) async throws {
            let folder = try TestFolder()
            try folder.write("[\(section)]\n\(line)\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 0)
            #expect(words.map { run.errors.contains("write \($0) are meant") } ?? !run.errors.contains("are meant"), "\(run)")
        }

        @Test func warnsOfALogFolderThatDependsOnWhereTheTrackerStarts() async throws {
            let folder = try TestFolder()
            try folder.write("[log]\ndirectory = \"tracks\"\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 0 && run.errors.contains(":2:1: [log] directory: 'tracks' depends on where the tracker starts"), "\(run)")
        }

        /// What a beginner writes is answered with what to write.
        @Test(arguments: [
            ("metric", #"text needs quotes: "like this""#), ("/var/log", #"text needs quotes: "like this""#),
            ("“metric”", #"these are typographic quotes; write straight ones: "like this""#), ("yes", "write true"),
            ("False", "write false"),
            ("10 s   # a comment", #"a number with a unit needs quotes: "10 s""#), ("\"50 Mb", "its closing quote is missing"),
            ("2,5", "write a point, not a comma: 2.5"), ("", nil),
        ])
        func saysWhatABeginnerMeant(value: String, words: String?) async throws {
            let folder = try TestFolder()
            try folder.write("[display]\nunits = \(value)\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 78 && run.complaints.count == 1 && run.errors.contains("waypost.toml:2:"), "\(run)")
            #expect(words.map { run.errors.hasSuffix("; \($0)\n") } ?? !run.errors.contains(";"), "\(run)")
        }

        /// A file for each server, as the guides say.
        @Test func hasTheServersOfAllFilesInForce() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: false)
            for name in ["recorder", "traccar"] {
                try folder.write("[[destination]]\nname = \"\(name)\"\nurl = \"https://\(name)/\"\n", to: "conf.d/\(name).toml")
            }
            try folder.write("", to: "waypost.toml")
            let run = try await waypost("config", "show", "waypost.toml", in: folder)
            #expect(run.output.contains("https://recorder/") && run.output.contains("https://traccar/"), "\(run)")
            try folder.write("[[destination]]\nname = \"traccar\"\nurl = \"https://other/\"\n", to: "conf.d/z.toml")
            let check = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(check.code == 0)
            #expect(check.errors.contains("[[destination]] \"traccar\" replaces that of conf.d/traccar.toml:2"), "\(check)")
        }

        @Test func printsASchema() async throws {
            let run = try await waypost("config", "schema", in: TestFolder())
            #expect(run.code == 0)
            #expect(run.output.contains("\"$schema\":\"https://json-schema.org/draft/2020-12/schema\""))
        }

        /// A fence at home beside a zone at home looks as if it worked, and never reports.
        @Test func warnsOfFencesThatAZoneHides() async throws {
            let folder = try TestFolder()
            let fence = { (name: String, longitude: Double, radius: Int) in
                """
                {"type":"Feature","properties":{"name":"\(name)","radius":\(radius)},
                "geometry":{"type":"Point","coordinates":[\(longitude),51.7]}}
                """
            }
            let features = [fence("Home", 10.3, 150), fence("Work", 10.4, 150), fence("Town", 10.3, 1000)].joined(separator: ",")
            try folder.write("{\"type\":\"FeatureCollection\",\"features\":[\(features)]}", to: "fences.geojson")
            let zone = "[privacy]\nzones = [\"home: 51.7, 10.3, 250 m\"]\n"
            try folder.write("\(zone)[geofences]\nfile = \"\(folder.path("fences.geojson"))\"\n", to: "waypost.toml")
            let run = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(run.code == 0)
            let warnings = run.errors.split(separator: "\n").filter { $0.contains("privacy zone") }
            #expect(
                warnings.count == 1 && warnings[0].contains("fence 'Home' lies where the privacy zone 'home' hides"), "\(run.errors)")
        }
    }
}
