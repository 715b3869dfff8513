import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Damage of every kind to a short journal, through to the GPX files that are recovered from it.
@Suite struct DamagedJournalTests {
    /// A fix of few bytes: every one of them is damaged in every way.
    private static func position(second: Int) -> Position {
        var position = Sample.bare()
        position.time = Sample.start.advanced(byMilliseconds: Int64(second) * 1_000)
        position.quality.hdop = 0.9
        return position
    }

    /// A journal of two segments and an event; where each record ends, and which one is what.
    private struct Journal {
        var bytes: [UInt8]
        let headerByteCount: Int
        var ends: [Int] = []
        /// The second of each position.
        var seconds: [Int: Int] = [:]
        var event = 0

        init() {
            bytes = JournalCodec.encode(
                JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 5, source: nil))
            headerByteCount = bytes.count
            add(.segmentBreak(.start))
            addPosition(second: 0)
            addPosition(second: 1)
            event = ends.count
            add(.event(TrackerEvent(id: "1", kind: "enter", name: "home", time: Sample.start, position: Sample.bare())))
            add(.segmentBreak(.loss))
            addPosition(second: 5)
            addPosition(second: 6)
        }

        private mutating func addPosition(second: Int) {
            seconds[ends.count] = second
            add(.position(DamagedJournalTests.position(second: second)))
        }

        private mutating func add(_ content: JournalRecord.Content) {
            let record = JournalRecord(sequence: UInt64(5 + ends.count), content: content)
            JournalCodec.append(record, source: nil, to: &bytes)
            ends.append(bytes.count)
        }

        /// Whether that byte is one of the length of the last record.
        func isInLength(_ byte: Int) -> Bool { (1...2).contains(byte - ends[ends.count - 2]) }

        /// The times of those of these records that are positions, as GPX has them.
        func times(of records: some Sequence<Int>) -> [String] {
            records.compactMap { seconds[$0] }.map { "2026-05-02T03:25:0\(2 + $0)Z" }
        }
    }

    /// What the GPX file made of those bytes tells; its path is nil when there was nothing to make one of.
    private struct Recovered {
        var path: String?
        var track: FinishedTrack
        var times: [String] = []
        var segmentCount = 0
        var waypointCount = 0
    }

    private func recover(_ bytes: [UInt8], in folder: String) throws -> Recovered {
        let log = LogFolder(path: folder)
        try Syscalls.createFolders(log.journalFolder)
        let stem = TrackStem(time: Sample.start, bootIdentity: [UInt8](0..<16), sequence: 5)
        try Data(bytes).write(to: URL(filePath: log.openJournalPath(stem.description)))
        let recovery = try LogMaintenance(folder: log).recover()
        var recovered = Recovered(track: try #require(recovery.tracks.first))
        #expect(recovery.failures.isEmpty)
        guard let path = recovered.track.trackPath else { return recovered }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        recovered.path = path
        recovered.times = text.split(separator: "\n").filter { $0.contains("<trkpt") }.compactMap { line in
            line.range(of: "<time>").map { String(line[$0.upperBound...].prefix { $0 != "<" }) }
        }
        recovered.segmentCount = text.ranges(of: "<trkseg>").count
        recovered.waypointCount = text.ranges(of: "<wpt").count
        return recovered
    }

    private func expectValid(_ paths: [String]) throws {
        if Schema.path != nil { #expect(try Schema.complaints(about: paths) == "") }
    }

    /// As the disk of a device was after its power was cut: a page was written, the next one with the rest of a record was not.
    @Test func aRecordThatThePowerCutShortIsNoDamage() async throws {
        try await Sample.withFolder { folder in
            let journal = Journal()
            let whole = journal.ends.count - 1
            for cut in journal.ends[whole - 1] + 1..<journal.ends[whole] {
                let bytes = journal.bytes.prefix(cut) + [UInt8](repeating: 0, count: 20_000)
                let recovered = try recover(Array(bytes), in: "\(folder)/\(cut)")
                #expect(recovered.times == journal.times(of: 0..<whole) && recovered.track.damageCount == 0, "cut at \(cut)")
                let log = LogFolder(path: "\(folder)/\(cut)")
                let track = try #require(try log.journals().first)
                #expect(try LogVerifier(folder: log).faults(of: track) == [], "cut at \(cut)")
                #expect(try Data(contentsOf: URL(filePath: track.path)).count == journal.ends[whole - 1])
                // What was finished and is cut short later is damage.
                try FileManager.default.removeItem(atPath: track.path)
                try Data(journal.bytes.prefix(cut)).write(to: URL(filePath: track.path))
                #expect(try LogVerifier(folder: log).faults(of: track).map(\.words).contains { $0.hasPrefix("ends within a record") })
            }
        }
    }

    @Test func everyFlippedBitCostsTheTrackNoMoreThanItsRecord() async throws {
        try await Sample.withFolder { folder in
            let journal = Journal()
            var paths: [String] = []
            for bit in 0..<(journal.bytes.count * 8) {
                var bytes = journal.bytes
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                // What hits the header hits none of them.
                let isInHeader = bit / 8 < journal.headerByteCount
                let hit = isInHeader ? nil : journal.ends.firstIndex { bit / 8 < $0 }
                let recovered = try recover(bytes, in: "\(folder)/\(bit)")
                #expect(recovered.times == journal.times(of: journal.ends.indices.filter { $0 != hit }), "bit \(bit)")
                // Where a break is lost, the damage is one.
                #expect(recovered.segmentCount == 2 && recovered.waypointCount == (hit == journal.event ? 0 : 1), "bit \(bit)")
                #expect(recovered.track.positionCount == recovered.times.count, "bit \(bit)")
                // A last record whose length grew looks as if it had not been written to its end.
                let isLonger = hit == journal.ends.count - 1 && journal.isInLength(bit / 8)
                #expect(recovered.track.damageCount == 1 || isLonger && recovered.track.damageCount == 0, "bit \(bit)")
                paths.append(try #require(recovered.path))
            }
            try expectValid(paths)
        }
    }

    @Test(arguments: [0, 4_096]) func everyCutKeepsTheWholeRecordsBeforeIt(room: Int) async throws {
        try await Sample.withFolder { folder in
            let journal = Journal()
            var paths: [String] = []
            for cut in 0...journal.bytes.count {
                let recovered = try recover(journal.bytes.prefix(cut) + [UInt8](repeating: 0, count: room), in: "\(folder)/\(cut)")
                // A record that only lost zeros is whole again in room that reads as zeros.
                let whole = journal.ends.count { $0 <= cut || room > 0 && journal.bytes[cut..<$0].allSatisfy { $0 == 0 } }
                let times = journal.times(of: 0..<whole)
                #expect(recovered.times == times, "cut at \(cut)")
                #expect(recovered.waypointCount == (whole > journal.event ? 1 : 0), "cut at \(cut)")
                #expect((recovered.path != nil) == !times.isEmpty, "cut at \(cut)")
                if let path = recovered.path { paths.append(path) }
            }
            try expectValid(paths)
        }
    }
}
