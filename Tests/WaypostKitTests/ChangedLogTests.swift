import Foundation
import Testing
import Waypost
import WaypostDispatch
import WaypostRecording

@testable import WaypostKit

/// A log whose settings change while positions wait in it.
@Suite struct ChangedLogTests {
    private let folder = NSTemporaryDirectory() + "waypost-changed-\(UUID().uuidString)"

    private func log(_ name: String) -> LogFolder { LogFolder(path: "\(folder)/\(name)") }

    /// A run that records ten fixes, each of all types.
    private func record(
        _ types: [LogType], in name: String, former: String? = nil, others: [String] = [], hours: Int, count: Int = 10,
        isKilled: Bool = false
    ) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var configuration = TrackRecorder.Configuration()
        configuration.types = types
        configuration.numbersPath = folder + "/numbers"
        configuration.wasElsewhere = former != nil && former != name
        configuration.others = others.map(log)
        let recorder = try TrackRecorder(folder: log(name).path, configuration: configuration)
        _ = try await recorder.recover()
        let home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
        for second in 0..<count {
            let position = Position(time: moment(hours * 3_600 + second), coordinate: home)
            for type in LogType.allCases { try await recorder.record(position, as: LogTypes(type), now: 0) }
        }
        #expect(!recorder.isOlderCopy)
        if !isKilled { _ = try await recorder.close() }
    }

    /// Of each journal the positions of the type that was its first: none of an earlier setting is passed over, and none is sent twice.
    @Test(arguments: [[LogType.source], [.current, .raw], [.raw, .current]]) func givesWhatWasTheMainTypeOfEachJournal(
        types: [LogType]
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw, .source], in: "log", hours: 0)
        try await record(types, in: "log", hours: 1)
        let positions = try LogPositions(folder: log("log"), types: types)
        let page = try await positions.positions(after: 0, through: .max, limit: 100)
        #expect(page.positions.map(\.position.time) == (0..<20).map { moment($0 / 10 * 3_600 + $0 % 10) }, "\(page.positions)")
        #expect(try await positions.count(after: 0, through: .max) == 20)
        let records = try await positions.records(after: 0, since: nil, limit: 100)
        #expect(records.count { if case .record = $0 { true } else { false } } == 20)
        // So does a limit that deletes them.
        var configuration = TrackRecorder.Configuration()
        (configuration.types, configuration.retention.maximumByteCount) = (types, 1)
        let recorder = try TrackRecorder(folder: log("log").path, configuration: configuration)
        let tracks = try await recorder.applyRetention(confirmedTime: nil) { _ in true }
        #expect(tracks.flatMap(\.positions).reduce(0) { $0 + $1.count } == 20)
        _ = try await recorder.close()
    }

    /// What was logged in another folder meanwhile is neither lost here, nor told as lost, whether that run was killed and whether it logged.
    @Test(arguments: [false, true]) func doesNotMissWhatAnotherFolderHas(isKilled: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0)
        try await record([.raw], in: "b", former: "a", hours: 1, isKilled: isKilled)
        try await record([.raw], in: "a", former: "b", hours: 2)
        try await record([.raw], in: "a", former: "a", hours: 3)
        let positions = try LogPositions(folder: log("a"), types: [.raw]) { loss, _ in Issue.record("\(loss)") }
        let page = try await positions.positions(after: 0, through: .max, limit: 100)
        #expect(page.positions.count == 30 && page.missing.isEmpty, "\(page.missing)")
        // Whoever exports this folder alone learns that there is more elsewhere.
        var reader = LogReader(folder: log("a"), from: .after(0))
        var losses: [LogLoss] = []
        while try reader.next() != nil { losses += reader.takeLosses() }
        #expect(Set(losses.map(\.note)) == [.moved], "\(losses)")
    }

    /// Nor after further starts without a fix; and no number comes again, though what is kept outside of the log is lost.
    @Test(arguments: [false, true], [0, 10]) func givesNoNumberOfAnotherFolderAgain(isKilled: Bool, count: Int) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0)
        try await record([.raw], in: "b", former: "a", hours: 1, count: count, isKilled: isKilled)
        let numbers = try LogReader.numbers(in: log("b"))
        try await record([.raw], in: "a", former: "b", hours: 2, count: 0)
        try await record([.raw], in: "a", former: "a", hours: 2, count: 0)
        try FileManager.default.removeItem(atPath: folder + "/numbers")
        try await record([.raw], in: "a", hours: 3)
        let positions = try LogPositions(folder: log("a"), types: [.raw]) { loss, _ in Issue.record("\(loss)") }
        let page = try await positions.positions(after: 0, through: .max, limit: 100)
        #expect(page.positions.count == 20 && page.missing.isEmpty, "\(page.missing)")
        #expect(Set(page.positions.map(\.number)).isDisjoint(with: numbers))
    }

    /// The numbers that are kept outside of the logs could not be written: another log begins after them nevertheless.
    @Test(arguments: [false, true]) func givesNoNumberAgainThatOnlyAnotherLogKnows(isKilled: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0)
        let numbers = try Data(contentsOf: URL(filePath: folder + "/numbers"))
        try await record([.raw], in: "a", hours: 1, isKilled: isKilled)
        try numbers.write(to: URL(filePath: folder + "/numbers"))
        try await record([.raw], in: "b", former: "a", others: ["a"], hours: 2)
        try numbers.write(to: URL(filePath: folder + "/numbers"))
        try await record([.raw], in: "a", others: ["b"], hours: 3)
        let earlier = try #require(try SuccessiveLogs.Earlier(log("b"), types: [.raw], besides: log("a")) { _, _ in })
        let current = try LogPositions(folder: log("a"), types: [.raw]) { loss, _ in Issue.record("\(loss)") }
        let page = try await SuccessiveLogs(current, after: [earlier], given: 1 << 20).positions(after: 0, through: .max, limit: 100)
        #expect(page.positions.map(\.position.time) == (0..<40).map { moment($0 / 10 * 3_600 + $0 % 10) }, "\(page.positions)")
        #expect(page.missing.isEmpty, "\(page.missing)")
    }

    /// Nothing could be noted when the tracker came back, because the disk of the log was full: what the other one has is not lost either.
    @Test(arguments: [false, true]) func doesNotMissWhatAnotherFolderHasThoughItCouldNotNoteIt(isKilled: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0, isKilled: true)
        try await record([.raw], in: "b", former: "a", others: ["a"], hours: 1, isKilled: isKilled)
        // The folder of the last run is this one now.
        for hours in [2, 3] { try await record([.raw], in: "a", former: "a", others: ["b"], hours: hours) }
        let positions = try LogPositions(folder: log("a"), types: [.raw]) { loss, _ in Issue.record("\(loss)") }
        let page = try await positions.positions(after: 0, through: .max, limit: 100)
        #expect(page.positions.count == 30 && page.missing.isEmpty, "\(page.missing)")
    }

    /// Who is in the midst of what is erased lacks nothing, be it that another log has it or this one.
    @Test(arguments: [0, 3, 9]) func doesNotMissWhatIsErasedBehindACursor(number: UInt64) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "log", hours: 0)
        try await record([.raw], in: "log", hours: 1)
        _ = try LogMaintenance(folder: log("log")).erase(from: moment(0), to: moment(8))
        let positions = try LogPositions(folder: log("log"), types: [.raw]) { loss, _ in Issue.record("\(loss)") }
        let page = try await positions.positions(after: number, through: .max, limit: 100)
        #expect(page.missing.isEmpty && page.positions.last?.position.time == moment(3_609), "\(page)")
    }

    /// A cursor is one of this log, though everything in it was erased since.
    @Test func knowsItsNumbersThoughAllIsErased() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "log", hours: 0)
        let last = try log("log").lastSequence()
        _ = try LogMaintenance(folder: log("log")).erase(from: moment(0), to: moment(3_600))
        let journals = try log("log").journals()
        #expect(last > 9 && journals.isEmpty)
        #expect(try log("log").lastSequence() == last)
    }

    /// Whoever gets fewer positions than wanted may stop asking: the next log goes on where one ends, whether that has any or not.
    @Test func goOnFromLogToLog() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0, isKilled: true)
        try await record([.raw], in: "b", former: "a", hours: 1)
        try await record([.raw], in: "c", former: "b", hours: 2)
        let (a, b, c) = (log("a"), log("b"), log("c"))
        func numbers(after number: UInt64, limit: Int) async throws -> [UTCTime?] {
            let earlier = try [a, b].compactMap { try SuccessiveLogs.Earlier($0, types: [.raw], besides: c) { _, _ in } }
            let logs = SuccessiveLogs(try LogPositions(folder: c, types: [.raw]), after: earlier, given: 1 << 20)
            return try await logs.positions(after: number, through: .max, limit: limit).positions.map(\.position.time)
        }
        let all = (0..<30).map { moment($0 / 10 * 3_600 + $0 % 10) }
        for limit in [5, 15, 25, 100] { #expect(try await numbers(after: 0, limit: limit) == Array(all.prefix(limit)), "\(limit)") }
        try FileManager.default.removeItem(atPath: "\(b.path)/journal/\(try #require(try b.journals().first).stem).journal")
        #expect(try await numbers(after: 0, limit: 100) == Array(all.prefix(10) + all.suffix(10)))
    }

    /// What could not be erased is not supplied, but the rest is, and later records of the same time are.
    @Test func supplyNothingThatIsHidden() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await record([.raw], in: "a", hours: 0, isKilled: true)
        try await record([.raw], in: "b", former: "a", hours: 1)
        let last = try log("b").lastSequence()
        try await record([.raw], in: "b", hours: 0)
        let earlier = try #require(try SuccessiveLogs.Earlier(log("a"), types: [.raw], besides: log("b")) { _, _ in })
        let logs = SuccessiveLogs(try LogPositions(folder: log("b"), types: [.raw]), after: [earlier], given: 1 << 20)
        await logs.hide(ErasedRecords(moment(3)..<moment(3_602), through: last))
        let times = try await logs.positions(after: 0, through: .max, limit: 100).positions.map(\.position.time)
        #expect(times == (Array(0..<3) + Array(3_602..<3_610) + Array(0..<10)).map { moment($0) }, "\(times)")
        #expect(try await logs.count(after: 0, through: .max) == 21)
    }
}

extension LogReader {
    /// The numbers of all records of a log.
    fileprivate static func numbers(in folder: LogFolder) throws -> Set<UInt64> {
        var reader = LogReader(folder: folder)
        var numbers: Set<UInt64> = []
        while let record = try reader.next() { numbers.insert(record.sequence) }
        return numbers
    }
}
