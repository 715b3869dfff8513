import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// `waypost log` by root in a folder that another user controls.
    @Suite(.enabled(if: getuid() == 0, "only root has something to lose"))
    struct HostileLogTests {
        private static let commands = [
            ["list"], ["export"], ["verify"], ["recover"], ["ack", "1", "--puller", "p"],
            ["erase", "--from", "2026-03-01", "--to", "2026-03-02", "--yes"],
        ]

        /// A log of 20 fixes that is another user's.
        private func logFolder() async throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write((0..<20).map { SimulatedReceiver().epoch($0).text }.joined(), to: "in.nmea")
            #expect(
                try await finish([Program.waypostd.path, "--source", "nmea:in.nmea?speed=0"] + TrackerProcess.options, in: folder).code == 0
            )
            #expect(try await finish(["chown", "-R", "65534:65534", "log"], in: folder).code == 0)
            try folder.write("root's own", to: "target")
            chmod(folder.path("target"), 0o600)
            return folder
        }

        private func log(_ arguments: [String], in folder: TestFolder) async throws -> Finished {
            try await finish(
                ["timeout", "20", Program.waypost.path, "log"] + arguments + ["--log", "log", "--socket", "socket"], in: folder)
        }

        private func owners(in folder: TestFolder) async throws -> Set<String> {
            Set(try await finish(["find", "log", "-printf", "%u\\n"], in: folder).outputLines)
        }

        @Test func leavesEverythingToTheOwner() async throws {
            let folder = try await logFolder()
            let name = try #require(try folder.names(in: "log").first { $0.hasSuffix(".gpx") })
            try FileManager.default.removeItem(atPath: folder.path("log/\(name)"))
            #expect(try await log(["recover"], in: folder).code == 0)
            #expect(try await log(["verify"], in: folder).code == 0)
            #expect(try await log(["ack", "1", "--puller", "p"], in: folder).code == 0)
            #expect(try await log(["export"], in: folder).outputLines.count == 20)
            let erased = try await log(["erase", "--from", "2026-03-01T12:00:10Z", "--to", "2026-03-02", "--yes"], in: folder)
            #expect(erased.output == "erased 10 positions from 1 track\n", "\(erased.errors)")
            #expect(try await owners(in: folder).count == 1)
        }

        @Test func reachesALogWhoseOwnerMayNotEnterTheFoldersAbove() async throws {
            let folder = try await logFolder()
            chmod(folder.path, 0o700)
            #expect(try await log(["export"], in: folder).outputLines.count == 20)
            let name = try #require(try folder.names(in: "log").first { $0.hasSuffix(".gpx") })
            try FileManager.default.removeItem(atPath: folder.path("log/\(name)"))
            // From anywhere the paths are those of the files.
            #expect(try await log(["recover"], in: folder).output == folder.path("log/\(name)\n"))
            #expect(try await log(["verify"], in: folder).output.hasPrefix(folder.path("log: ")))
            let list = try JSONParser().parse(Array(try await log(["list", "--json"], in: folder).output.utf8.dropLast()))
            #expect(list["track"]?.string == folder.path("log/\(name)"))
            #expect(list["journal"]?.string?.hasPrefix(folder.path("log/journal/")) == true)
        }

        @Test(arguments: [
            "log/.lock", "log/SHA256SUMS", "log/journal/.pullers", "log/journal/.pullers.lock", "log/journal/.destinations",
            "log/journal/.erase",
            "log/journal/.sequence",
            "log/journal/20260301T130000Z-00000000-900.open.journal", "log/20260301T130000Z-00000000-900.gpx",
        ])
        func followsNoLinkAndWaitsForNoFIFO(path: String) async throws {
            for trap in ["link", "second name", "fifo"] {
                let folder = try await logFolder()
                let (place, target) = (folder.path(path), folder.path("target"))
                unlink(place)
                switch trap {
                case "link": symlink(target, place)
                case "second name": link(target, place)
                default: mkfifo(place, 0o666)
                }
                lchown(place, trap == "second name" ? 0 : 65_534, trap == "second name" ? 0 : 65_534)
                for command in Self.commands {
                    let run = try await log(command, in: folder)
                    #expect(run.code != 124 && run.code != nil, "\(trap) \(command)")
                }
                #expect(try folder.text("target") == "root's own", "\(trap)")
                let attributes = try FileManager.default.attributesOfItem(atPath: target)
                #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.ownerAccountID] as? Int == 0, "\(trap)")
            }
        }

        @Test func leavesAJournalFolderThatIsALink() async throws {
            let folder = try await logFolder()
            rename(folder.path("log/journal"), folder.path("elsewhere"))
            symlink(folder.path("elsewhere"), folder.path("log/journal"))
            for command in Self.commands {
                let run = try await log(command, in: folder)
                #expect(run.code != 0 && run.complaints.count == 1, "\(command)")
            }
        }
    }
}
