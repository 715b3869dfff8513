import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// A link, a second name, a FIFO, a device or a folder where the tracker keeps its state, or where its settings and fences are: it does not
    /// hang, follows nothing, and says what is wrong in one line.
    @Suite(.timeLimit(.minutes(10))) struct OddStateFilesTests {
        private static let kept = "state/kept/state"
        private static let commands = [
            "link": "ln -s /tmp/DIR/other", "second name": "ln other", "FIFO": "mkfifo", "device": "ln -s /dev/zero", "folder": "mkdir",
        ]

        private func lay(_ trap: String, at name: String, in folder: TestFolder) async throws {
            let command = try #require(Self.commands[trap]).replacingOccurrences(of: "/tmp/DIR", with: folder.path)
            #expect(try await shell("rm -rf \(name) && \(command) \(name)", in: folder).code == 0)
        }

        /// A tracker's state with everything in it.
        private func makeState(in folder: TestFolder) async throws {
            try folder.write(
                """
                [map]
                listen = "127.0.0.1:\(try freePort())"
                [privacy]
                zones = ["home: 10.0, 10.0, 200 m"]
                [[destination]]
                name = "home"
                url = "http://127.0.0.1:9/in"
                interval = 0

                """, to: "w.toml")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "w.toml"])
            let words =
                "grant daemon reduced && waypost fences add yard --at 52.5,13.4 --radius 200 && waypost track opened && waypost private on"
            #expect(try await shell("waypost \(words) && waypost private off", in: folder).code == 0)
            #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("\(Self.kept)/last-position")) })
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            try folder.write("other\n", to: "other")
        }

        /// Those without which something is not as it was, and what is not.
        private static let told = [
            "fence-state", "fences-known", "fences-added.geojson", "grants", "page-token", "privacy-secret", "outbox.sqlite",
            "outbox.sqlite-wal", "outbox.sqlite-shm",
        ]

        @Test(arguments: commands.keys.sorted()) func isNeitherFollowedNorWaitedFor(trap: String) async throws {
            let gold = try TestFolder()
            try await makeState(in: gold)
            let untold = [
                "addresses", "audit", "baud-rates", "confirmed-time", "fences-added.copy", "fences-good.geojson", "last-position",
                "log-folders", "log-numbers",
                "outbox.sqlite-lock", "outbox.sqlite-tally", "reduced-position", "wakes",
            ]
            for name in try gold.names(in: Self.kept) { #expect((Self.told + untold).contains(name), "\(name)") }
            for name in Self.told + untold {
                let folder = try TestFolder()
                #expect(try await shell("cp -a \(gold.path)/. .", in: folder).code == 0)
                try await lay(trap, at: "\(Self.kept)/\(name)", in: folder)
                let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "w.toml"])
                if tracker.process.ended == nil { _ = try await shell("waypost status", in: folder) }
                let end = try await tracker.stop()
                let lines = tracker.process.errors.split(separator: "\n").filter { $0.contains("/\(name): ") }
                // What is hidden around a zone is not made anew: the tracks would show its centre.
                let isRefused = name == "privacy-secret"
                #expect(
                    end.signal == nil && [65, 74].contains(end.code ?? 0) == isRefused && (isRefused || end.code == 0), "\(name): \(end)")
                // A second name of what is not whole is told as damage.
                if Self.told.contains(name), trap != "second name" {
                    #expect(lines.contains { $0.contains("/\(name): ") && $0.contains(" is ") }, "\(name): \(tracker.process.errors)")
                }
                // What cannot be read and cannot be written either is two things.
                #expect(lines.count <= 2, "\(name): \(lines)")
                #expect(try folder.text("other") == "other\n", "\(name)")
                let names = try folder.names()
                #expect(!names.contains { $0.hasPrefix("other-") }, "\(name): \(names)")
            }
        }

        /// Whoever writes the settings may link to a file, and to nothing else.
        @Test(arguments: ["FIFO", "device", "folder"]) func isNoConfiguration(trap: String) async throws {
            for name in ["w.toml", "conf.d/10-more.toml"] {
                let folder = try TestFolder()
                #expect(try await shell("mkdir conf.d && : >w.toml", in: folder).code == 0)
                try await lay(trap, at: name, in: folder)
                let checked = try await finish(["timeout", "20", Program.waypost.path, "config", "check", "w.toml"], in: folder)
                #expect(checked.code != 0 && checked.code != 124 && checked.complaints.count == 1, "\(name): \(checked)")
                #expect(checked.errors.contains("\(name): "), "\(name): \(checked)")
                let run = try await finish(
                    ["timeout", "20", Program.waypostd.path, "--config", "w.toml", "--source", "sim:walk"] + TrackerProcess.options,
                    in: folder)
                #expect(run.code == checked.code && run.errors.split(separator: "\n").count == 1, "\(name): \(run)")
                #expect(run.errors.contains("\(name): "), "\(name): \(run)")
            }
        }

        @Test(arguments: ["FIFO", "device", "folder"]) func isNoFileOfFences(trap: String) async throws {
            let folder = try TestFolder()
            try folder.write("[geofences]\nfile = \"fences.geojson\"\n", to: "w.toml")
            try await lay(trap, at: "fences.geojson", in: folder)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "w.toml"])
            let status = try await shell("waypost status", in: folder)
            let end = try await tracker.stop()
            #expect(status.code != 124 && end.signal == nil, "\(end)")
            let lines = tracker.process.errors.split(separator: "\n").filter { $0.contains("fences.geojson") }
            // An empty folder is one without fences.
            #expect(lines.count == (trap == "folder" ? 0 : 1), "\(tracker.process.errors)")
        }
    }
}
