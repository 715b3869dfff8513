import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// A receiver that talks on without a fix keeps no old place alive in the status; one that has its fix loses none by a tracker that was stopped.
    @Suite struct StaleFixTests {
        private static let kinds = ["fifo", "exec", "fallback", "gpsd"]

        /// A tracker that has a fix, and its receiver.
        private final class Tracked {
            let kind: String
            let folder: TestFolder
            let tracker: TrackerProcess
            /// What the second source of a fallback reads.
            let other: ReceiverFIFO
            private let fifo: ReceiverFIFO
            private let server: GPSDServer?
            private let receiver = SimulatedReceiver(periodMilliseconds: 500)
            private var count = 0

            init(kind: String) async throws {
                self.kind = kind
                folder = try TestFolder()
                fifo = try ReceiverFIFO("receiver", in: folder)
                other = try ReceiverFIFO("other", in: folder)
                server = kind == "gpsd" ? try await GPSDServer() : nil
                let source =
                    switch kind {
                    case "exec": "exec:exec cat receiver"
                    case "gpsd": "gpsd://127.0.0.1:\(server?.port ?? 0)"
                    default: "nmea:receiver"
                    }
                let more = kind == "fallback" ? ["--source", "nmea:other"] : []
                tracker = try await TrackerProcess(source: source, in: folder, options: more)
                // A gpsd first finds the speed of its line.
                var status = try await self.status()
                while count < 80, count < 10 || status.code != 0 {
                    try sayFix()
                    try await Task.sleep(for: .milliseconds(400))
                    if count % 5 == 4 { status = try await self.status() }
                }
                #expect(status.code == 0 && status.output.contains("position  47."), "\(status)")
            }

            func say(_ text: String) throws { if let server { try server.write(text) } else { try fifo.write(text) } }

            func sayFix() throws {
                try say(receiver.epoch(count).text)
                count += 1
            }

            func status(_ options: String...) async throws -> Finished {
                try await finish([Program.waypost.path, "status", "--socket", "socket"] + options, in: folder)
            }

            func end() async throws {
                fifo.close()
                other.close()
                _ = try await tracker.stop()
                server?.stop()
            }
        }

        /// Tracks each kind of source, side by side, with somebody who watches.
        private func withEachKind(_ trial: @escaping @Sendable (String, Tracked, ProgramProcess) async throws -> Void) async throws {
            try await sideBySide(Self.kinds) { kind in
                if kind == "gpsd", !GPSDServer.isInstalled { return }
                let tracked = try await Tracked(kind: kind)
                let watcher = try await tracked.tracker.watch("--json")
                try await trial(kind, tracked, watcher)
                watcher.send(SIGINT)
                _ = try await watcher.exit()
                try await tracked.end()
            }
        }

        @Test func isLostInTheStatus() async throws {
            try await withEachKind { kind, tracked, _ in
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .seconds(10) {
                    try tracked.say("$GPRMC,,V,,,,,,,,,,N*53\r\n$GPGSV,1,1,00*79\r\n")
                    if kind == "fallback" { try tracked.other.write("$GPRMC,,V,,,,,,,,,,N*53\r\n") }
                    try await Task.sleep(for: .milliseconds(400))
                }
                let after = try await tracked.status()
                #expect(
                    after.code == 1 && !after.output.contains("position  47.") && after.output.contains("degraded"), "\(kind): \(after)")
                let json = try await tracked.status("--json").output
                #expect(!json.contains(#""state":"fix""#) && json.contains("no position"), "\(kind): \(json)")
            }
        }

        /// A receiver of which satellites alone are left is not silent.
        @Test func hasNoFixWithSatellitesAlone() async throws {
            try await withEachKind { kind, tracked, watcher in
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .seconds(8) {
                    try tracked.say("$GPGSV,1,1,04,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45*7A\r\n")
                    try await Task.sleep(for: .milliseconds(400))
                }
                let losses = watcher.lines(class: "LOST")
                #expect(losses.count == 1 && losses[0].contains(#""reason":"no_fix""#), "\(kind): \(losses)")
            }
        }

        /// One fix waited for a tracker that was stopped, and is as old as it is.
        @Test func isLostWhenItsFixWaitedForTheTracker() async throws {
            try await withEachKind { kind, tracked, watcher in
                try tracked.sayFix()
                try await Task.sleep(for: .milliseconds(400))
                tracked.tracker.process.send(SIGSTOP)
                try tracked.sayFix()
                try await Task.sleep(for: .seconds(12))
                tracked.tracker.process.send(SIGCONT)
                #expect(await eventually(within: .seconds(4)) { watcher.count(class: "LOST") == 1 }, "\(kind): \(watcher.output)")
            }
        }

        /// Stopped by a signal, or by a machine that stands still: the receiver was never silent.
        @Test func isNotLostWhileTheTrackerIsStopped() async throws {
            try await withEachKind { kind, tracked, watcher in
                tracked.tracker.process.send(SIGSTOP)
                for step in 0..<40 {
                    if step == 20 { tracked.tracker.process.send(SIGCONT) }
                    try tracked.sayFix()
                    try await Task.sleep(for: .milliseconds(400))
                }
                #expect(watcher.count(class: "TPV") > 35, "\(kind)")
                #expect(watcher.count(class: "LOST") == 0, "\(kind): \(watcher.output)")
            }
        }
    }
}
