import Foundation
import Testing
import WaypostTestKit

extension EndToEnd {
    /// What a tracker does while there is nothing to do.
    struct IdleTests {
        private let receiver = SimulatedReceiver()

        @Test func sleepsOnThreadsOfItsOwn() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            // The start is over; nothing comes, so nobody has anything to wait for.
            try await Task.sleep(for: .seconds(1))
            let before = try tracker.process.threads()
            try await Task.sleep(for: .seconds(3))
            let after = try tracker.process.threads()
            let (earlier, later): (Int, Int) = (before.values.reduce(0, +), after.values.reduce(0, +))
            #expect(later - earlier < 3, "\(before) \(after)")

            // From here on there are sleeps: the log waits for its time to go to the disk, and the manager for the next fix.
            let watcher = try await tracker.watch("--json", "--count", "2")
            try fifo.write(receiver.epoch(0).text + receiver.epoch(1).text)
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            try await Task.sleep(for: .milliseconds(500))
            let names = try tracker.process.threads().keys
            // The runtime's pool would have its own threads, which look after themselves once a second.
            #expect(names.filter { $0.contains("qos") } == [])
            #expect(names.contains("tasks-1"))
            fifo.close()
        }

        @Test func endsAServerWithoutTheRuntimesPool() async throws {
            let (holder, folder) = (try TestFolder(), try TestFolder())
            let map = "[map]\nlisten = \"127.0.0.1:\(try freePort())\"\n"
            try holder.write(map, to: "w.toml")
            try folder.write(map, to: "w.toml")
            let first = try await TrackerProcess(source: "sim:city", in: holder, options: ["--config", "w.toml"])
            try #require(await eventually { first.process.errors.contains("map page at") }, "\(first.process.errors)")
            // The port is taken: the page ends as soon as it has begun.
            let second = try await TrackerProcess(source: "sim:city", in: folder, options: ["--config", "w.toml"])
            try #require(await eventually { second.process.errors.contains("Address already in use") }, "\(second.process.errors)")
            try await Task.sleep(for: .milliseconds(500))
            #expect(try second.process.threads().keys.filter { $0.contains("qos") } == [])
            #expect(try await second.stop() == ProgramExit(code: 0))
            #expect(try await first.stop() == ProgramExit(code: 0))
        }
    }
}

extension ProgramProcess {
    /// Its threads' names with how often those of that name waited for something.
    fileprivate func threads() throws -> [String: Int] {
        let folder = "/proc/\(processID)/task/"
        var threads: [String: Int] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let lines = try String(contentsOfFile: folder + thread + "/status", encoding: .utf8).split(separator: "\n")
            func value(_ key: String) -> Substring {
                lines.first { $0.hasPrefix(key) }?.split(separator: "\t").last ?? ""
            }
            threads[String(value("Name:")), default: 0] += Int(value("voluntary_ctxt_switches:")) ?? 0
        }
        return threads
    }
}
