import Foundation
import Glibc
import Testing
import Waypost

extension EndToEnd {
    /// A link, a second name, a FIFO or a folder in the place of a finished track: no browser gets what is there.
    @Suite struct PageOddFilesTests {
        @Test func servesNoTrackThatIsNone() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage("nmea:\(Package.drive)?speed=0", in: folder, options: ["--stay"])
            func names() throws -> [String] { try page.json("/api/v1/logs")["logs"]?.array?.compactMap { $0["name"]?.string } ?? [] }
            try #require(await eventually { (try? names().isEmpty) == false }, "\(page.tracker.process.errors)")
            let name = try #require(try names().first)
            let track = try folder.text("log/\(name)")
            try folder.write("secret", to: "other")
            // As root, a file of somebody else.
            chown(folder.path("other"), 65_534, 65_534)
            let traps = ["ln -s ../other", "mkfifo", "ln -s /dev/zero", "mkdir"] + (getuid() == 0 ? ["ln other"] : [])
            for trap in traps {
                try FileManager.default.removeItem(atPath: folder.path("log/\(name)"))
                #expect(try await shell("\(trap) log/\(name)", in: folder).code == 0)
                #expect(try names() == [], "\(trap)")
                let answer = try page.get("/api/v1/logs/\(name)")
                #expect(answer.status == 404 && !answer.body.contains("secret"), "\(trap): \(answer)")
            }
            try FileManager.default.removeItem(atPath: folder.path("log/\(name)"))
            try folder.write(track, to: "log/\(name)")
            // A name that a snapshot of the log has, too.
            link(folder.path("log/\(name)"), folder.path("snapshot"))
            #expect(try page.get("/api/v1/logs/\(name)").body == track)
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }
    }
}
