import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What people meet where no position comes: every door says the same, and none is silent.
    struct WithoutReceiverTests {
        @Test func saysTheSameAtEveryDoor() async throws {
            let reserved = try #require(ReservedPort())
            let url = "gpsd://127.0.0.1:\(reserved.port)"
            let tracker = try await TrackerProcess(source: url, in: TestFolder())
            let (found, next) = ("\(url): not connected: no gpsd answers", "start gpsd")
            let command = "sudo systemctl enable --now gpsd.socket"
            #expect(await eventually { tracker.process.errors.contains(command) })
            for words in ["no position; tried \(found)", "what to do: \(next)", command] {
                #expect(tracker.process.errors.contains(words), "log: \(words)")
            }
            let screen = try await waypost("status", "--socket", "socket", in: tracker.folder)
            #expect(screen.code == 1)
            let lines = screen.outputLines
            let first = try #require(lines.firstIndex(of: "tried     \(found)"), "\(lines)")
            #expect(lines.dropFirst(first + 1).prefix(2) == ["next      \(next)", "              \(command)"])
            let json = try JSONParser().parse(
                Array(try await waypost("status", "--json", "--socket", "socket", in: tracker.folder).output.utf8))
            #expect(json["search"]?["tried"]?.array?.first?["source"]?.string == url)
            #expect(json["search"]?["next"]?.string == next)
            #expect(json["search"]?["commands"]?.array?.compactMap(\.string) == [command])

            let watch = try await waypost("watch", "--timeout", "3", "--socket", "socket", in: tracker.folder)
            #expect(watch.code == 75 && watch.output.isEmpty)
            #expect(watch.errors.hasPrefix("waiting for a position since "), "\(watch.errors)")
            #expect(watch.errors.contains("\n    \(found)\nnext: \(next)\n"), "\(watch.errors)")
            #expect(watch.errors.contains("next: \(next)\n    \(command)\n"), "\(watch.errors)")
            #expect(watch.errors.contains("waypost: watch: no fix for 3 s (\(found)); see waypost status"), "\(watch.errors)")
            let doctor = try await waypost("doctor", "--socket", "socket", in: tracker.folder)
            for words in ["; \(next)", "waypost status: \(found)", "fix       \(command)"] {
                #expect(doctor.output.contains(words), "\(words)")
            }
        }

        @Test(.enabled(if: GPSDServer.executable != nil, "gpsd is not installed"))
        func doesNotCallAGPSDDisconnectedThatHasComeBack() async throws {
            let server = try await GPSDServer(starts: false)
            defer { server.stop() }
            let tracker = try await TrackerProcess(source: "gpsd://127.0.0.1:\(server.port)", in: TestFolder())
            #expect(await eventually { tracker.process.errors.contains("not connected") })
            try await server.start()
            #expect(
                try await eventually {
                    let status = try await waypost("status", "--json", "--socket", "socket", in: tracker.folder)
                    return status.output.contains("\"connected\":\"gpsd ")
                })
            let status = try await waypost("status", "--socket", "socket", in: tracker.folder)
            #expect(
                !status.output.contains("not connected") && status.output.contains("but nothing comes from a receiver"), "\(status.output)")
        }
    }
}
