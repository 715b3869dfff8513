import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// Where the state is kept: what others see of it, and what becomes of what an earlier version has left.
    @Suite(.timeLimit(.minutes(5))) struct StateFolderTests {
        private static let kept = "state/kept/state"

        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        /// What everybody sees of a path who may enter the folders above it.
        private func look(_ name: String, in folder: TestFolder) throws -> [Int] {
            var status = stat()
            try #require(lstat(folder.path(name), &status) == 0)
            return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }

        /// The times of the folders that others can see stay the same while a fence is crossed and positions are lost, also where the state
        /// folder itself lets everybody in.
        @Test func tellsNobodyWhenSomethingHappens() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try server.setMode("status 503")
            try folder.writeGate(sendingTo: server.url)
            try FileManager.default.createDirectory(
                atPath: folder.path("state"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<4).map { receiver.epoch($0).text }.joined())
            #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("\(Self.kept)/fences-known")) })
            let visible = ["state", "state/.lock", "state/kept", "log", "log/.lock"]
            let before = try visible.map { try look($0, in: folder) }
            let inside = try look(Self.kept, in: folder)
            try fifo.write((4..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            #expect(await eventually(within: .seconds(20)) { tracker.process.errors.contains("position lost") })
            for (name, known) in zip(visible, before) { #expect(try look(name, in: folder) == known, "\(name)") }
            #expect(try look(Self.kept, in: folder) != inside)
            for name in ["state/kept", Self.kept] {
                let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
                #expect(mode == 0o700, "\(name)")
            }
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
        }

        /// An earlier version kept its files in the state folder itself: they are moved one after the other.
        ///
        /// A start that was killed after any of them leaves the next one everything.
        @Test func takesWhatAnEarlierVersionKept() async throws {
            let folder = try TestFolder()
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:1/\"\ninterval = 0\n", to: "w.toml")
            let options = ["--config", "w.toml"]
            let first = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            for words in [
                ["grant", "daemon", "reduced"], ["fences", "add", "yard", "--at", "52.5,13.4", "--radius", "200"], ["track", "opened"],
                ["private", "on"],
            ] {
                let done = try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
                #expect(done.code == 0, "\(words): \(done)")
            }
            #expect(try await first.stop(with: SIGKILL).signal == SIGKILL)
            let files = FileManager.default
            try files.moveItem(atPath: folder.path(Self.kept), toPath: folder.path("old"))
            let names = try folder.names(in: "old")
            for name in ["outbox.sqlite", "outbox.sqlite-wal", "private", "grants", "fences-added.geojson"] {
                #expect(names.contains(name))
            }
            // As they are moved: an outbox after what belongs to it. No earlier version had those of the log.
            let order = names.filter { $0 != "outbox.sqlite" && !$0.hasPrefix("log-") } + ["outbox.sqlite"]
            for step in 0...order.count {
                try files.removeItem(atPath: folder.path("state"))
                try files.createDirectory(atPath: folder.path(Self.kept), withIntermediateDirectories: true)
                for (number, name) in order.enumerated() {
                    let place = number < step ? Self.kept : "state"
                    try files.copyItem(atPath: folder.path("old/\(name)"), toPath: folder.path("\(place)/\(name)"))
                }
                try files.createDirectory(atPath: folder.path("state/wake"), withIntermediateDirectories: false)
                try folder.write("", to: "state/wake/4711")
                try folder.write("theirs", to: "state/home.roads")
                for name in ["state/.grants.4711.tmp", "\(Self.kept)/.last-position.4711.tmp"] { try folder.write("", to: name) }
                let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
                let status = try await ask("status", in: folder).output
                #expect(status.contains("private mode") && !status.contains("removed or emptied"), "\(step): \(status)")
                #expect(try await ask("grants", in: folder).output.contains("daemon"), "\(step)")
                #expect(try await ask("fences", "list", in: folder).output.contains("yard"), "\(step)")
                #expect(try await ask("dispatch", "export", "home", in: folder).output.contains("opened"), "\(step)")
                #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
                #expect(try folder.names(in: "state") == [".lock", "home.roads", "kept"], "\(step)")
                #expect(try !folder.names(in: Self.kept).contains { $0.hasSuffix(".4711.tmp") }, "\(step)")
            }
        }

        /// After a step back to an earlier version what that has written counts, and the outbox in its way is kept.
        @Test func keepsTheOutboxThatAnEarlierVersionReplaces() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path(Self.kept), withIntermediateDirectories: true)
            for (name, text) in [("outbox.sqlite", "later"), ("outbox.sqlite-wal", "its log"), ("page-token", "later")] {
                try folder.write(text, to: "\(Self.kept)/\(name)")
            }
            try folder.write("earlier", to: "state/page-token")
            let other = try TestFolder()
            try other.write("[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:1/\"\ninterval = 0\n", to: "w.toml")
            let made = try await TrackerProcess(source: "sim:walk", in: other, options: ["--config", "w.toml"])
            #expect(try await made.stop().code == 0)
            try FileManager.default.copyItem(atPath: other.path("\(Self.kept)/outbox.sqlite"), toPath: folder.path("state/outbox.sqlite"))
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await tracker.stop().code == 0)
            #expect(try folder.text("\(Self.kept)/outbox.sqlite.damaged-1") == "later")
            #expect(try folder.text("\(Self.kept)/outbox.sqlite.damaged-1-wal") == "its log")
            #expect(try folder.text("\(Self.kept)/page-token") == "earlier")
            #expect(try folder.names(in: "state") == [".lock", "kept"])
        }

        /// Nothing comes from the receiver, and nobody asks: it is noticed all the same, and told; then nothing is taken and nothing is well.
        @Test func noticesByItselfThatItIsGone() async throws {
            let folder = try TestFolder()
            try folder.write(
                "[log]\nsync_interval = \"2 s\"\n[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:1/\"\ninterval = 0\n",
                to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("track", "before", in: folder).code == 0)
            let state = "the state folder \(folder.path("state"))"
            for round in 1...2 {
                try FileManager.default.moveItem(atPath: folder.path("state"), toPath: folder.path("away"))
                // As often as the log goes to the disk, and a moment for a busy box.
                let isTold = await eventually(within: .seconds(5)) {
                    tracker.process.errors.components(separatedBy: "\(state) was removed: ").count == round + 1
                }
                #expect(isTold, "\(tracker.process.errors)")
                let status = try await ask("status", in: folder)
                #expect(status.code == 1 && status.output.contains("\(state) was removed"), "\(status)")
                #expect(!status.output.contains("healthy"), "\(status)")
                let refused = try await ask("track", "while it is gone", in: folder)
                #expect(refused.code != 0 && refused.errors.contains("was removed or replaced while it was in use"), "\(refused)")
                try FileManager.default.moveItem(atPath: folder.path("away"), toPath: folder.path("state"))
                let isBack = await eventually(within: .seconds(5)) {
                    tracker.process.errors.components(separatedBy: "\(state) is back").count == round + 1
                }
                #expect(isBack, "\(tracker.process.errors)")
                #expect(try await ask("track", "after", in: folder).code == 0)
            }
            // The outbox alone is written again as soon as that is noticed.
            try FileManager.default.removeItem(atPath: folder.path("\(Self.kept)/outbox.sqlite"))
            #expect(
                await eventually(within: .seconds(5)) { FileManager.default.fileExists(atPath: folder.path("\(Self.kept)/outbox.sqlite")) })
            #expect(try await ask("dispatch", "export", "home", in: folder).output.components(separatedBy: "after").count == 3)
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            fifo.close()
        }

        /// Where the folder of the files is removed, it is made again, and what is known is written into it.
        @Test func makesItsFolderAgain() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await ask("grant", "daemon", "reduced", in: folder).code == 0)
            try FileManager.default.removeItem(atPath: folder.path("state/kept"))
            #expect(
                try await eventually(within: .seconds(20)) {
                    _ = try await ask("status", in: folder)
                    return FileManager.default.fileExists(atPath: folder.path("\(Self.kept)/grants"))
                })
            #expect(tracker.process.errors.contains("was removed and made anew"))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }
    }
}
