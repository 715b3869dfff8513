import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// A folder, a link or a FIFO where the tracker keeps a file: it tracks all the same, or says which one and what to do.
    @Suite struct OddFilesTests {
        private static let traps = ["folder", "link", "FIFO"]

        private func lay(_ trap: String, at name: String, in folder: TestFolder) throws {
            let path = folder.path(name)
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            switch trap {
            case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            case "link": symlink("/nonexistent", path)
            default: mkfifo(path, 0o666)
            }
        }

        /// Records a drive to its end.
        private func track(_ epochs: Range<Int>, in folder: TestFolder) async throws -> Finished {
            try folder.write(epochs.map { SimulatedReceiver().epoch($0).text }.joined(), to: "in.nmea")
            return try await finish(
                ["timeout", "60", Program.waypostd.path, "--source", "nmea:in.nmea?speed=0"] + TrackerProcess.options, in: folder)
        }

        @Test func startsWithoutTheNumbersOfItsRecords() async throws {
            for trap in Self.traps {
                let folder = try TestFolder()
                #expect(try await track(0..<10, in: folder).code == 0)
                try lay(trap, at: "log/journal/.sequence", in: folder)
                let run = try await track(10..<20, in: folder)
                #expect(run.code == 0 && run.errors.contains("journal/.sequence: is "), "\(run)")
                #expect(run.errors.contains("it is set aside as ") && run.errors.contains(".sequence.damaged-1\n"), "\(run)")
                #expect(try await waypost("log", "export", "--log", "log", in: folder).outputLines.count == 20)
            }
        }

        @Test(arguments: ["log", "state"]) func namesTheLockThatIsInTheWay(place: String) async throws {
            for trap in Self.traps {
                let folder = try TestFolder()
                try lay("folder", at: place, in: folder)
                try lay(trap, at: "\(place)/.lock", in: folder)
                let run = try await track(0..<10, in: folder)
                #expect(run.code == 73 && run.complaints.count == 1 && run.errors.hasSuffix("; move it away\n"), "\(run)")
                #expect(run.errors.contains("\(place)/.lock: is "), "\(run)")
            }
        }

        /// What is in a track's place is nobody's track; whoever moves it away gets the track.
        @Test func saysWhatKeepsATrackFromBeingMade() async throws {
            for trap in Self.traps {
                let folder = try TestFolder()
                #expect(try await track(0..<10, in: folder).code == 0)
                #expect(try await track(10..<20, in: folder).code == 0)
                let names = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }
                let whole = try folder.text("log/\(names[0])")
                try FileManager.default.removeItem(atPath: folder.path("log/\(names[1])"))
                try lay(trap, at: "log/\(names[0])", in: folder)
                let run = try await waypost("log", "recover", "--log", "log", in: folder)
                #expect(run.code == 74 && run.complaints.count == 1, "\(trap): \(run)")
                #expect(run.errors.contains("\(names[0]): cannot be written: is ") && run.errors.hasSuffix("; move it away\n"), "\(run)")
                // The others are made.
                #expect(run.outputLines.count == 1 && run.output.hasSuffix("\(names[1])\n"), "\(run)")
                try FileManager.default.removeItem(atPath: folder.path("log/\(names[0])"))
                let again = try await waypost("log", "recover", "--log", "log", in: folder)
                #expect(again.code == 0 && again.output.hasSuffix("\(names[0])\n"), "\(again)")
                #expect(try folder.text("log/\(names[0])") == whole)
                #expect(try await waypost("log", "verify", "--log", "log", in: folder).code == 0)
            }
        }

        @Test func exportsTheTracksBesideAJournalThatIsNone() async throws {
            for trap in Self.traps {
                let folder = try TestFolder()
                #expect(try await track(0..<10, in: folder).code == 0)
                let journal = "log/journal/" + (try #require(try folder.names(in: "log/journal").first { $0.hasSuffix(".journal") }))
                #expect(try await track(10..<20, in: folder).code == 0)
                try lay(trap, at: journal, in: folder)
                let run = try await track(20..<30, in: folder)
                #expect(run.code == 0 && run.errors.contains("\(journal): is ") && !run.errors.contains("old tracks"), "\(run)")
                let exported = try await waypost("log", "export", "--log", "log", in: folder)
                #expect(exported.code == 74 && exported.outputLines.count == 20 && exported.complaints.count == 1, "\(exported)")
                let listed = try await waypost("log", "list", "--log", "log", in: folder)
                #expect(listed.code == 74 && listed.outputLines.count == 2 && listed.complaints.count == 1, "\(listed)")
                let verified = try await waypost("log", "verify", "--log", "log", in: folder)
                #expect(verified.code == 74 && verified.complaints.count == 1, "\(verified)")
                #expect(exported.errors.contains("\(journal): cannot be read: is ") && exported.errors.hasSuffix("; move it away\n"))
            }
        }
    }
}
