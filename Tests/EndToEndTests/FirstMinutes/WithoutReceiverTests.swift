import Foundation
import Glibc
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
            let found = "\(url): not connected: no gpsd answers"
            let next = "start a gpsd with the port \(reserved.port) (its option -S); the one that Debian starts has 2947"
            #expect(await eventually { tracker.process.errors.contains(next) })
            for words in ["no position; tried \(found)", "what to do: \(next)"] {
                #expect(tracker.process.errors.contains(words), "log: \(words)")
            }
            let screen = try await waypost("status", "--socket", "socket", in: tracker.folder)
            #expect(screen.code == 1)
            let lines = screen.outputLines
            let first = try #require(lines.firstIndex(of: "tried     \(found)"), "\(lines)")
            #expect(lines.dropFirst(first + 1).first == "next      \(next)")
            let json = try JSONParser().parse(
                Array(try await waypost("status", "--json", "--socket", "socket", in: tracker.folder).output.utf8))
            #expect(json["search"]?["tried"]?.array?.first?["source"]?.string == url)
            #expect(json["search"]?["next"]?.string == next)
            #expect(json["search"]?["commands"]?.array ?? [] == [])

            let watch = try await waypost("watch", "--timeout", "3", "--socket", "socket", in: tracker.folder)
            #expect(watch.code == 75 && watch.output.isEmpty)
            #expect(watch.errors.hasPrefix("waiting for a position since "), "\(watch.errors)")
            #expect(watch.errors.contains("\n    \(found)\nnext: \(next)\n"), "\(watch.errors)")
            #expect(watch.errors.contains("waypost: watch: no fix for 3 s (\(found)); see waypost status"), "\(watch.errors)")
            let doctor = try await waypost("doctor", "--socket", "socket", in: tracker.folder)
            for words in ["; \(next)", "waypost status: \(found)"] {
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
            #expect(!status.output.contains("not connected") && status.output.contains(": connected (gpsd "), "\(status.output)")
            #expect(
                try await eventually(within: .seconds(15)) {
                    try await waypost("status", "--socket", "socket", in: tracker.folder).output
                        .contains("but nothing comes from a receiver")
                })
            #expect(tracker.process.errors.contains(", but nothing comes from a receiver"), "\(tracker.process.errors)")
        }

        /// A socket that somebody names stands for one tracker: that another runs elsewhere is no comfort.
        @Test func findsTheNamedTrackerThatHasEndedHangsOrIsAnotherProgram() async throws {
            let other = try await TrackerProcess(source: "sim:none", in: TestFolder())
            defer { other.process.send(SIGKILL) }
            let tracker = try await TrackerProcess(source: "sim:none", in: TestFolder())
            func service() async throws -> String {
                let run = try await waypost("doctor", "--socket", "socket", in: tracker.folder)
                #expect(run.code == 1)
                return run.outputLines.first { $0.hasPrefix("fault: service: ") } ?? run.output
            }
            tracker.process.send(SIGSTOP)
            #expect(try await service() == "fault: service: the tracker does not answer: somebody has stopped its process")
            tracker.process.send(SIGCONT)
            tracker.process.send(SIGKILL)
            _ = try await tracker.process.exit()
            #expect(try await service() == "fault: service: the tracker of socket is not running")
            for (answer, words) in [("hello\\n", "listens there, which is not waypostd"), ("", "ended the connection at once")] {
                let script = """
                    import os, socket
                    if os.path.exists("socket"): os.remove("socket")
                    door = socket.socket(socket.AF_UNIX)
                    door.bind("socket")
                    door.listen(9)
                    print("listens", flush=True)
                    while True:
                        line = door.accept()[0]
                        try: line.sendall(b"\(answer)")
                        except OSError: pass
                        line.close()
                    """
                let program = try ProgramProcess(["python3", "-c", script], in: tracker.folder)
                try #require(await eventually { program.output == "listens\n" }, "\(program.errors)")
                #expect(try await service().hasPrefix("fault: service: python3"))
                let status = try await waypost("status", "--socket", "socket", in: tracker.folder)
                #expect(status.code == 69 && status.errors.contains("socket: python3"), "\(status)")
                #expect(status.errors.contains(words), "\(status)")
                let second = try ProgramProcess(
                    [Program.waypostd.path, "--source", "sim:none"] + TrackerProcess.options, in: tracker.folder)
                #expect(try await second.exit() == ProgramExit(code: 73))
                #expect(second.errors.contains("listens there; use another --socket"), "\(second.errors)")
                program.send(SIGKILL)
                _ = try await program.exit()
            }
        }
    }
}
