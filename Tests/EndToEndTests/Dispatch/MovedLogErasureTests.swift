import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

/// Erasing while positions wait in the log of another folder.
extension EndToEnd.MovedLogTests {
    private static let (from, to) = ("2026-03-01T12:00:05Z", "2026-03-01T12:00:15Z")
    private static let settings = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"

    private func erase(
        _ from: String = Self.from, _ to: String = Self.to, _ place: String..., in folder: TestFolder
    ) async throws -> Finished {
        let words = ["log", "erase", "--yes", "--since", from, "--until", to]
        return try await finish([Program.waypost.path] + words + (place.isEmpty ? ["--socket", "socket"] : place), in: folder)
    }

    private func isErased(_ time: String) -> Bool { "2026-03-01T12:00:05" <= time && time < "2026-03-01T12:00:15" }

    /// Waits until a server has that many positions, and returns their times.
    private func sent(_ count: Int, to server: FlakyServer, in folder: TestFolder, _ tracker: TrackerProcess) async throws -> [String] {
        let isThere = try await eventually(within: .seconds(40)) {
            _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
            return try ids(server).count >= count
        }
        let times = try times(server).sorted()
        #expect(isThere && times.count == count, "\(times) \(tracker.process.errors)")
        return times
    }

    private func problems(in folder: TestFolder) async throws -> [String] {
        let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
        return status["problems"]?.array?.compactMap(\.string) ?? []
    }

    /// What could not be erased is not sent after a restart either, and whoever erases is told; the rest is sent from there.
    @Test(arguments: ["b", "c"]) func areNotSentWhenTheyCannotBeErased(next log: String) async throws {
        let folder = try TestFolder()
        let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
        try await drive(0, log: "a", in: folder, servers)
        try await drive(1, log: "b", in: folder, servers) { _ in
            try FileManager.default.moveItem(atPath: folder.path("a"), toPath: folder.path("x"))
            let erased = try await erase(in: folder)
            #expect(erased.code == 73 && erased.errors.contains("not the earlier one at \(folder.path("a"))"), "\(erased)")
            let problems = try await problems(in: folder)
            #expect(problems.contains { $0.contains("at \(folder.path("a")), an earlier one, may still have") }, "\(problems)")
        }
        try FileManager.default.moveItem(atPath: folder.path("x"), toPath: folder.path("a"))
        try servers[1].setMode("ok")
        try await drive(2, log: log, in: folder, servers) { tracker in
            let times = try await sent(50, to: servers[1], in: folder, tracker)
            #expect(!times.contains(where: isErased), "\(times)")
            let problems = try await problems(in: folder)
            #expect(!problems.contains { $0.contains("may still have") }, "\(problems)")
        }
        #expect(try await ask("log", "export", "--log", "a", in: folder).outputLines.count == 10)
    }

    /// What is erased is not sent, whatever log it is in.
    @Test func areNotSentOnceTheyAreErased() async throws {
        let folder = try TestFolder()
        let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
        try await drive(0, log: "a", in: folder, servers)
        try await drive(1, log: "b", in: folder, servers) { tracker in
            let erased = try await erase(in: folder)
            #expect(erased.code == 0, "\(erased)")
            #expect(tracker.process.errors.contains("erased 10 positions from the log"), "\(tracker.process.errors)")
            try servers[1].setMode("ok")
            let times = try await sent(30, to: servers[1], in: folder, tracker)
            #expect(!times.contains(where: isErased), "\(times)")
        }
        // A later start has nothing more to do with it.
        for name in ["a", "b"] { #expect(!FileManager.default.fileExists(atPath: folder.path(name + "/journal/.erased"))) }
    }

    /// Nor when the log of this run cannot be erased.
    @Test func areErasedElsewhereThoughTheCurrentLogIsFull() async throws {
        let folder = try TestFolder()
        let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
        try await drive(0, log: "a", in: folder, servers)
        try await drive(1, log: "b", in: folder, servers, isKilled: true) { _ in
            try FileManager.default.createDirectory(atPath: folder.path("b/journal/.erase"), withIntermediateDirectories: false)
            #expect(try await erase("2026-03-01T12:00:05Z", "2026-03-01T12:00:25Z", in: folder).code != 0)
            #expect(try await ask("log", "export", "--log", "a", in: folder).outputLines.count == 5)
        }
        try servers[1].setMode("ok")
        try await drive(2, log: "c", in: folder, servers) { tracker in
            let times = try await sent(40, to: servers[1], in: folder, tracker)
            #expect(!times.contains { "2026-03-01T12:00:05" <= $0 && $0 < "2026-03-01T12:00:25" }, "\(times)")
        }
    }

    /// Without a tracker, the next one removes them before it sends, wherever it logs: from the other folders and from the queues.
    @Test(arguments: [["a", "c"], ["b", "c"], ["b", "b"], ["a", "a"]]) func areNotSentWhenTheyAreErasedWithoutATracker(
        logs: [String]
    ) async throws {
        let folder = try TestFolder()
        let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
        try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
        for run in 0..<4 { try await drive(run, log: "a", in: folder, servers, settings: Self.settings) }
        try #require(try events(servers[0]).contains("enter"))
        if logs[0] == "b" { try await drive(4, log: "b", in: folder, servers, settings: Self.settings) }
        let run = logs[0] == "b" ? 5 : 4
        let erased = try await erase("2026-03-01T12:00:00Z", "2026-03-01T12:01:20Z", "--log", logs[0], in: folder)
        #expect(erased.code == 0, "\(erased)")
        try servers[1].setMode("ok")
        try await drive(run, log: logs[1], in: folder, servers, settings: Self.settings) { tracker in
            let times = try await sent((run - 3) * 20, to: servers[1], in: folder, tracker)
            #expect(times.allSatisfy { $0 >= "2026-03-01T12:01:20" }, "\(times)")
        }
        let early = try servers[1].received().filter { $0["class"]?.string == "EVENT" && $0["time"]?.string ?? "" < "2026-03-01T12:01:20" }
        #expect(early.isEmpty, "\(early)")
        #expect(try await ask("log", "export", "--log", "a", in: folder).outputLines.count == (logs[1] == "a" ? 20 : 0))
        for name in ["a", "b", "c"] { #expect(!FileManager.default.fileExists(atPath: folder.path(name + "/journal/.erased"))) }
    }
}
