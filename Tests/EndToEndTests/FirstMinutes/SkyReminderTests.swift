import Logging
import Synchronization
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

@testable import WaypostDaemon

extension EndToEnd {
    /// A receiver that sends without a fix: the log says so after a minute, with what it sees of the sky, and then ever more rarely.
    @Suite struct SkyReminderTests {
        private let surroundings = PositionSearch.Surroundings(
            isService: true, configurationFile: "/etc/waypost/waypost.toml", userName: "waypost")

        /// A clock that the test sets, and the log's lines.
        private final class World: Sendable {
            private let clock = Mutex<Int64>(0)
            private let written = Mutex<[String]>([])

            var milliseconds: Int64 { clock.withLock { $0 } }
            var lines: [String] { written.withLock { $0 } }
            func wait(seconds: Int64) { clock.withLock { $0 += seconds * 1_000 } }
            func write(_ line: String) { written.withLock { $0.append(line) } }
        }

        private struct Lines: LogHandler {
            var metadata: Logger.Metadata = [:]
            var logLevel: Logger.Level = .info
            let world: World

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: LogEvent) { world.write("\(event.message)") }
        }

        private func reporter(_ world: World, source: String) -> SearchReporter {
            SearchReporter(
                source: source, surroundings: surroundings, logger: Logger(label: "test") { _ in Lines(world: world) },
                now: { world.milliseconds })
        }
        private var sky: SkyView {
            SkyView(time: nil, satellites: (1...4).map { SatelliteView(constellation: .gps, number: $0) })
        }

        @Test func saysWhatComesAndWhatToDo() async throws {
            let world = World()
            let reporter = reporter(world, source: "serial:///dev/ttyUSB0")
            await reporter.consume(.sky(sky))
            await reporter.consume(.noFix(NoFix(time: nil)))
            world.wait(seconds: 59)
            await reporter.consume(.noFix(NoFix(time: nil)))
            #expect(world.lines.isEmpty)
            world.wait(seconds: 1)
            await reporter.consume(.noFix(NoFix(time: nil)))
            #expect(
                world.lines == [
                    "no position for 60 s; tried serial:///dev/ttyUSB0: the receiver sends, but has no fix (0 of 4 satellites used)",
                    "what to do: give the antenna a clear view of the sky; "
                        + "a cold start takes half a minute under an open sky, and up to 12.5 minutes under a poor one",
                ])
        }

        @Test func saysItAgainAfterAColdStartAndThenRarely() async throws {
            let world = World()
            let reporter = reporter(world, source: "serial:auto")
            for _ in 0..<(24 * 60) {
                world.wait(seconds: 60)
                await reporter.consume(.noFix(NoFix(time: nil)))
            }
            let spans = world.lines.filter { $0.hasPrefix("no position for ") }.map { String($0.prefix { $0 != ";" }.dropFirst(16)) }
            #expect(spans == ["60 s", "15 min", "60 min", "4 h", "16 h"])
        }

        @Test(arguments: ["nmea:drive.nmea", "sim:none"]) func saysNothingOfARecording(source: String) async throws {
            let world = World()
            let reporter = reporter(world, source: source)
            world.wait(seconds: 600)
            await reporter.consume(.noFix(NoFix(time: nil)))
            #expect(world.lines.isEmpty)
        }

        /// In the moment of a connection nothing is wrong with the cable.
        @Test func saysThatNothingComesOnlyWhenTheSilenceLasts() async throws {
            let world = World()
            let reporter = reporter(world, source: "gpsd://localhost:2947")
            for reason in [LossReason.disconnected("refused"), .deviceGone("unplugged")] {
                await reporter.consume(.status(.stillLost(reason)))
                let count = world.lines.count
                for update in [SourceStatus.connected("gpsd 3.22"), .stillLost(.silent)] { await reporter.consume(.status(update)) }
                #expect(world.lines.count == count)
                #expect(await reporter.report?.search.why == "gpsd://localhost:2947: connected (gpsd 3.22), nothing received yet")
            }
            await reporter.consume(.status(.stillLost(.silent)))
            #expect(world.lines.contains { $0.contains("connected (gpsd 3.22), but nothing comes from a receiver") }, "\(world.lines)")
        }
    }
}
