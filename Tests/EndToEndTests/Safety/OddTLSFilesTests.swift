import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// What a TLS library would open by name is no file: the destination says so, and the tracker goes on, and ends when it is told to.
    @Suite struct OddTLSFilesTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private static let odd = [
            ("ca_file", "mkfifo x"), ("client_certificate", "mkfifo x"), ("client_key", "mkfifo x"), ("ca_file", "mkdir x"),
            ("ca_file", "ln -s /dev/zero x"), ("ca_file", "ln -s socket x"),
        ]

        @Test(arguments: ["https://127.0.0.1:9/in", "mqtts://127.0.0.1:9"], odd)
        func isSaidAtOnce(url: String, _ odd: (key: String, command: String)) async throws {
            let folder = try TestFolder()
            #expect(try await shell("\(odd.command) && : >empty.pem", in: folder).code == 0)
            let kind = url.hasPrefix("mqtts") ? "kind = \"mqtt\"\n" : ""
            let certificate = odd.key == "client_key" ? "client_certificate = \"empty.pem\"\n" : ""
            try folder.write(
                """
                [[destination]]
                name = "home"
                url = "\(url)"
                interval = "1 s"
                timeout = "5 s"
                \(kind)\(certificate)\(odd.key) = "\(folder.path("x"))"

                """, to: "w.toml")
            let checked = try await waypost("config", "check", "w.toml", in: folder)
            // The socket is not there yet.
            #expect(checked.code == 78 && checked.errors.contains("[[destination]] \(odd.key): "), "\(checked)")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("track", "x", in: folder).code == 0)
            let now = try await ask("dispatch", "now", "--wait", "--timeout", "20", in: folder)
            let words = odd.command == "mkdir x" ? "is a folder, not a file" : "is not an ordinary file"
            let problem = "\(folder.path("x")): cannot be read: \(words)"
            #expect(now.code == 1 && now.errors.contains(problem), "\(now)")
            let status = try await ask("status", in: folder)
            #expect(status.code == 1 && status.output.contains("nothing is sent to home: \(problem)"), "\(status)")
            let start = ContinuousClock.now
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(ContinuousClock.now - start < .seconds(10))
            fifo.close()
        }

        /// Nobody has to start the tracker again.
        @Test func isReadOnceItIsAFile() async throws {
            let folder = try TestFolder()
            #expect(try await shell("mkfifo x", in: folder).code == 0)
            try folder.write(
                "[[destination]]\nname = \"home\"\nurl = \"https://127.0.0.1:9/in\"\ninterval = 0\nca_file = \"\(folder.path("x"))\"\n",
                to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("track", "x", in: folder).code == 0)
            #expect(try await ask("dispatch", "now", "--wait", in: folder).errors.contains("is not an ordinary file"))
            #expect(try await shell("rm x && : >x", in: folder).code == 0)
            // What is wrong now is something else.
            let now = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(now.code == 1 && !now.errors.contains("ordinary file"), "\(now)")
            #expect(!(try await ask("status", in: folder)).output.contains("ordinary file"))
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
