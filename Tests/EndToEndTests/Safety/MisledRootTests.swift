import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// Root works on a log in a folder of another user, who leads the path elsewhere.
    @Suite(.enabled(if: getuid() == 0, "only root is misled")) struct MisledRootTests {
        private let stranger: uid_t = 4_711

        /// A folder of root's with a log that nobody else may enter, and one of the stranger's with a copy of it.
        private func lay(in folder: TestFolder) async throws {
            try folder.write((0..<20).map { SimulatedReceiver().epoch($0).text }.joined(), to: "in.nmea")
            let run = try await finish([Program.waypostd.path, "--source", "nmea:in.nmea?speed=0"] + TrackerProcess.options, in: folder)
            try #require(run.code == 0)
            try FileManager.default.createDirectory(atPath: folder.path("theirs"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: folder.path("log"), toPath: folder.path("theirs/real"))
            let names = try #require(FileManager.default.enumerator(atPath: folder.path("theirs"))).compactMap { $0 as? String }
            for name in names + [""] { try #require(lchown(folder.path("theirs/" + name), stranger, stranger) == 0) }
            chmod(folder.path("log"), 0o700)
        }

        private func link(to target: String, at name: String, in folder: TestFolder) throws {
            try #require(symlink(target, folder.path(name + ".new")) == 0)
            try #require(lchown(folder.path(name + ".new"), stranger, stranger) == 0)
            try #require(rename(folder.path(name + ".new"), folder.path(name)) == 0)
        }

        /// Every name in root's log with its owner, its rights, its size and its bytes.
        private func contents(in folder: TestFolder) throws -> [String] {
            try #require(FileManager.default.enumerator(atPath: folder.path("log"))).compactMap { $0 as? String }.sorted().map { name in
                var status = stat()
                try #require(lstat(folder.path("log/" + name), &status) == 0)
                let bytes = status.st_mode & S_IFMT == S_IFREG ? try Data(contentsOf: URL(filePath: folder.path("log/" + name))) : Data()
                return "\(name) \(status.st_uid) \(status.st_mode) \(bytes.base64EncodedString())"
            }
        }

        private let commands = [
            ["erase", "--since", "2026-01-01", "--until", "2026-12-31", "--yes"], ["recover"], ["ack", "5", "--puller", "p"],
        ]

        @Test func refusesALinkOfAnotherUserToItsOwnLog() async throws {
            let folder = try TestFolder()
            try await lay(in: folder)
            try link(to: folder.path("log"), at: "theirs/log", in: folder)
            let before = try contents(in: folder)
            for command in commands {
                let run = try await finish([Program.waypost.path, "log"] + command + ["--log", "theirs/log"], in: folder)
                #expect(run.code == 77 && run.errors.contains("a link of user \(stranger) leads there"), "\(run)")
            }
            #expect(try contents(in: folder) == before)
            // A link to what is their own leads to their own.
            try link(to: "real", at: "theirs/log", in: folder)
            #expect(try await finish([Program.waypost.path, "log"] + commands[0] + ["--log", "theirs/log"], in: folder).code == 0)
            #expect(try contents(in: folder) == before)
        }

        /// The path leads elsewhere again and again while the commands run.
        @Test func isNotMisledWhileItWorks() async throws {
            let folder = try TestFolder()
            try await lay(in: folder)
            try link(to: "real", at: "theirs/log", in: folder)
            let before = try contents(in: folder)
            let swapping = Task.detached { [self] in
                var count = 0
                while !Task.isCancelled {
                    try link(to: count % 2 == 0 ? folder.path("log") : "real", at: "theirs/log", in: folder)
                    count += 1
                    usleep(200)
                }
                return count
            }
            for _ in 0..<8 {
                for command in commands {
                    _ = try await finish([Program.waypost.path, "log"] + command + ["--log", "theirs/log"], in: folder)
                }
            }
            swapping.cancel()
            #expect(try await swapping.value > 100)
            #expect(try contents(in: folder) == before)
        }
    }
}
