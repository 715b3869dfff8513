import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// The tracker as a service: what it tells the service manager, as systemd asks for it.
    struct ServiceManagerTests {
        @Test func tellsWhenItIsReadyAliveAndStopping() async throws {
            let folder = try TestFolder()
            let manager = try NotifySocket()
            let tracker = try start("sim:city", in: folder, watchedBy: manager)
            var heard: [String] = []
            func hears(_ wanted: (String) -> Bool) async -> Bool {
                await eventually(within: .seconds(20)) {
                    while let message = manager.receive() { heard += message.split(separator: "\n").map(String.init) }
                    return heard.contains(where: wanted)
                }
            }
            #expect(await hears { $0 == "READY=1" })
            #expect(heard.first == "READY=1")
            #expect(
                await eventually(within: .seconds(20)) {
                    while let message = manager.receive() { heard += message.split(separator: "\n").map(String.init) }
                    return heard.count { $0 == "WATCHDOG=1" } >= 3
                })
            tracker.send(SIGTERM)
            #expect(try await tracker.exit().code == 0)
            #expect(await hears { $0 == "STOPPING=1" })
            // Every local user can read it: it does not change when a fix comes or goes.
            #expect(
                heard.filter { $0.hasPrefix("STATUS=") } == ["STATUS=tracking; more: waypost status", "STATUS=finishing the track"])
        }

        @Test(arguments: ["gpsd://127.0.0.1:1", "serial:///dev/waypost-no-such-receiver", "sim:none"])
        func isAliveWithoutAReceiver(source: String) async throws {
            let folder = try TestFolder()
            let manager = try NotifySocket(isAbstract: true)
            let tracker = try start(source, in: folder, watchedBy: manager)
            var beats = 0
            #expect(
                await eventually(within: .seconds(20)) {
                    while let message = manager.receive() { beats += message == "WATCHDOG=1" ? 1 : 0 }
                    return beats >= 5 || tracker.ended != nil
                })
            #expect(beats >= 5, "\(tracker.errors)")
        }

        private func start(_ source: String, in folder: TestFolder, watchedBy manager: NotifySocket) throws -> ProgramProcess {
            try ProgramProcess(
                .waypostd, ["--source", source, "--stay"] + TrackerProcess.options, in: folder,
                environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "800000"])
        }
    }
}
