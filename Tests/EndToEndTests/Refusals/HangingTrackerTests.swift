import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What the commands do where something greets on the socket as a tracker does, and says nothing more.
    struct HangingTrackerTests {
        private static let program = """
            import socket, time
            server = socket.socket(socket.AF_UNIX)
            server.bind("socket")
            server.listen(64)
            kept = []
            while True:
                kept.append(server.accept()[0])
                kept[-1].sendall(b'{"class":"HELLO","protocol":1,"version":"0.1.0"}\\n')
            """

        private func hang(in folder: TestFolder) async throws -> ProgramProcess {
            let server = try ProgramProcess(["python3", "-c", HangingTrackerTests.program], in: folder)
            try #require(await eventually { try folder.names(in: ".").contains("socket") })
            return server
        }

        private static let commands = [
            ["fences", "add", "Yard", "--at", "51.7,10.3", "--radius", "50"], ["fences", "import", "fences.geojson"], ["log", "rotate"],
            ["dispatch", "now"], ["dispatch", "now", "--wait"], ["dispatch", "drain", "--timeout", "1h"], ["agent", "--once"],
            ["ledger", "--since", "-1h"],
        ]

        @Test func endsEachCommandInTime() async throws {
            try await sideBySide(Self.commands) { arguments in
                let folder = try TestFolder()
                try folder.write(
                    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[10.3,51.7]},"properties":{"name":"Yard","radius":50}}"#,
                    to: "fences.geojson")
                let server = try await hang(in: folder)
                let start = ContinuousClock.now
                let run = try await finish([Program.waypost.path] + arguments + ["--socket", "socket"], in: folder)
                #expect(run.code == 75 && run.errors.contains("does not answer"), "\(arguments): \(run.code) \(run.errors)")
                #expect(ContinuousClock.now - start < .seconds(25), "\(arguments)")
                server.send(9)
                _ = try await server.exit()
            }
        }

        @Test(arguments: [["--timeout", "2"], ["--timeout", "2", "--json"], ["--timeout", "2", "--roads"]])
        func endsWatchInTime(options: [String]) async throws {
            let folder = try TestFolder()
            let server = try await hang(in: folder)
            let start = ContinuousClock.now
            let run = try await finish([Program.waypost.path, "watch", "--socket", "socket"] + options, in: folder)
            let time = ContinuousClock.now - start
            #expect(run.code == 75 && time > .seconds(1.9) && time < .seconds(4), "\(run.code) \(time) \(run.errors)")
            server.send(9)
            _ = try await server.exit()
        }
    }
}
