import Foundation
import Testing
import Waypost

@testable import WaypostRecording

@Suite struct JournalDecoderTests {
    private static let source = "gpsd://localhost:2947"

    /// A short journal, its records, and where each ends.
    private struct Journal {
        var bytes: [UInt8]
        var records: [JournalRecord] = []
        var ends: [Int] = []

        init() {
            let header = JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 5, source: JournalDecoderTests.source)
            bytes = JournalCodec.encode(header)
            add(.segmentBreak(.start))
            add(.position(Sample.position(second: 0)))
            add(.position(Sample.position(second: 1, source: "serial:///dev/ttyUSB0")))
            add(.other(kind: 200, payload: [0xB5, 0, 0, 1]))
            add(.segmentBreak(.loss))
            add(.position(Sample.position(second: 7)))
        }

        mutating func add(_ content: JournalRecord.Content) {
            records.append(JournalRecord(sequence: UInt64(5 + records.count), content: content))
            JournalCodec.append(records[records.count - 1], source: JournalDecoderTests.source, to: &bytes)
            ends.append(bytes.count)
        }
    }

    private func decode(_ bytes: [UInt8], pieces: Int = .max) throws -> (records: [JournalRecord], decoder: JournalDecoder) {
        var decoder = JournalDecoder()
        var records: [JournalRecord] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            decoder.feed(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while let record = try decoder.next() { records.append(record) }
        }
        decoder.endOfInput()
        while let record = try decoder.next() { records.append(record) }
        return (records, decoder)
    }

    @Test func readsWhatWasWrittenInPiecesOfAnySize() throws {
        let journal = Journal()
        for pieces in [1, 2, 7, 64, .max] {
            let (records, decoder) = try decode(journal.bytes, pieces: pieces)
            #expect(records == journal.records)
            #expect(decoder.header == JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 5, source: Self.source))
            #expect(decoder.damageCount == 0 && decoder.endOfContent == Int64(journal.bytes.count))
        }
    }

    @Test func takesZerosAtTheEndForRoom() throws {
        let journal = Journal()
        let (records, decoder) = try decode(journal.bytes + [UInt8](repeating: 0, count: 100_000), pieces: 4_096)
        #expect(records == journal.records)
        #expect(decoder.damageCount == 0 && decoder.endOfContent == Int64(journal.bytes.count))
    }

    @Test(arguments: [0, 5_000]) func keepsEveryWholeRecordWhenCutAtAnyByte(room: Int) throws {
        let journal = Journal()
        for cut in 0...journal.bytes.count {
            let (records, decoder) = try decode(journal.bytes.prefix(cut) + [UInt8](repeating: 0, count: room))
            // A record that only lost zeros is whole again in room that reads as zeros.
            let whole = journal.ends.count { $0 <= cut || room > 0 && journal.bytes[cut..<$0].allSatisfy { $0 == 0 } }
            #expect(records == Array(journal.records.prefix(whole)), "cut at \(cut)")
            let lastEnd = whole > 0 ? journal.ends[whole - 1] : Int(decoder.endOfLastRecord)
            #expect(decoder.endOfLastRecord == Int64(lastEnd))
            // The power failed while it was written: that is no damage, and the next recorder begins where the last record ends.
            if whole > 0 { #expect(decoder.damageCount == 0 && decoder.endOfContent == decoder.endOfLastRecord, "cut at \(cut)") }
            let unread = decoder.damagedByteCount + decoder.unfinishedByteCount
            #expect(decoder.damageCount <= 1 && unread <= Int64(max(0, cut - lastEnd)))
            if room == 0 { #expect(unread > 0 || cut == lastEnd || journal.bytes[lastEnd..<cut].allSatisfy { $0 == 0 }) }
        }
    }

    @Test func losesOneRecordToAFlippedBitAndNamesThePlace() throws {
        let journal = Journal()
        for bit in 0..<(journal.bytes.count * 8) {
            var bytes = journal.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let (records, decoder) = try decode(bytes)
            guard let hit = journal.ends.firstIndex(where: { bit / 8 < $0 }) else { continue }
            let isInHeader = decoder.header == nil
            let place = Int64(bit / 8)
            // A last byte that became zero looks like room, and a last record whose length grew as if it had not been written to its end.
            let isUnfinished = hit == journal.ends.count - 1 && decoder.unfinishedByteCount > 0
            #expect(decoder.damageCount == (isUnfinished ? 0 : 1), "bit \(bit)")
            let isNamed =
                isUnfinished
                ? decoder.endOfLastRecord <= place
                : decoder.damage.first.map { $0.offset <= place && (place < $0.offset + $0.byteCount || bytes[bit / 8] == 0) }
            #expect(isNamed == true, "bit \(bit)")
            if isInHeader {
                // Everything but the name that stood in the header.
                #expect(records.map(\.sequence) == journal.records.map(\.sequence))
            } else {
                var expected = journal.records
                expected.remove(at: hit)
                #expect(records == expected, "bit \(bit)")
            }
        }
    }

    @Test func getsOverZeroedPagesAndForeignBytes() throws {
        let journal = Journal()
        for filler in [0, 0xB5, 0x41] as [UInt8] {
            var bytes = journal.bytes
            bytes.replaceSubrange((journal.ends[0])..<(journal.ends[2]), with: [UInt8](repeating: filler, count: 20_000))
            let (records, decoder) = try decode(bytes, pieces: 1_000)
            #expect(records == [journal.records[0]] + journal.records[3...])
            #expect(decoder.damage == [JournalDamage(offset: Int64(journal.ends[0]), byteCount: 20_000)])
        }
    }

    @Test func doesNotBelieveRecordsWhoseNumberDoesNotGrow() throws {
        let journal = Journal()
        let stale = journal.bytes[journal.ends[0]..<journal.ends[1]]
        let (records, decoder) = try decode(journal.bytes + stale)
        #expect(records == journal.records)
        #expect(decoder.damage == [JournalDamage(offset: Int64(journal.bytes.count), byteCount: Int64(stale.count))])
    }

    @Test func doesNotBelieveNumbersThatNoRecordHas() throws {
        for number in [0, 1 << 62 + 1, .max] as [UInt64] {
            var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            let start = bytes.count
            for sequence in [1, number, 2] {
                JournalCodec.append(JournalRecord(sequence: sequence, content: .segmentBreak(.loss)), source: nil, to: &bytes)
            }
            let (records, decoder) = try decode(bytes)
            #expect(records.map(\.sequence) == [1, 2] && decoder.damageCount == 1, "\(number)")
            bytes.replaceSubrange(
                0..<start, with: JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: number, source: nil)))
            #expect(try decode(bytes).decoder.header == nil)
        }
    }

    /// A marker and the length of the longest record every three bytes: whoever checks all of them checks 1 400 bytes for each.
    @Test(arguments: [[0xB5, 0x00, 0x10], [0xB5, 0x04, 0x0F]] as [[UInt8]])
    func readsWhatLooksLikeManyLongRecordsInTimeAndGetsOverIt(pattern: [UInt8]) throws {
        var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
        let record = JournalRecord(sequence: 1, content: .segmentBreak(.start))
        JournalCodec.append(record, source: nil, to: &bytes)
        for _ in 0..<100_000 { bytes += pattern }
        for sequence in 20...200 as ClosedRange<UInt64> {
            JournalCodec.append(
                JournalRecord(sequence: sequence, content: .position(Sample.position(second: Int(sequence)))), source: nil, to: &bytes)
        }
        var sequences: [UInt64] = []
        let time = try ContinuousClock().measure { sequences = try decode(bytes, pieces: 65_536).records.map(\.sequence) }
        #expect(time < .seconds(8), "\(time)")
        // Few of those behind it are the price.
        #expect(sequences.first == 1 && sequences.last == 200 && sequences.count > 100, "\(sequences)")
    }

    @Test(arguments: [0, 1, 2, 4, 99] as [UInt16]) func refusesAJournalOfAnotherVersion(version: UInt16) {
        let bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 5, source: nil))
        #expect(throws: JournalFormatError.unsupportedVersion(Int(version))) { try decode(Sample.asVersion(version, bytes)) }
    }

    @Test func survivesTenThousandMutations() throws {
        var generator = SeededGenerator(seed: 2_026)
        let journal = Journal()
        let written = Set(journal.records.map(\.sequence))
        for _ in 0..<10_000 {
            var bytes = journal.bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &generator)))
                case 2: bytes.insert(contentsOf: journal.bytes.suffix(Int.random(in: 1...60, using: &generator)), at: place)
                case 3: bytes.insert(contentsOf: repeatElement(0, count: Int.random(in: 1...300, using: &generator)), at: place)
                default: bytes[place] = [0xB5, 0, 0xFF, 0x7F].randomElement(using: &generator) ?? 0
                }
                if bytes.isEmpty { bytes = [0] }
            }
            // Nothing that comes out was not written: the checksums see to it.
            let (records, decoder) = try decode(bytes, pieces: Int.random(in: 1...200, using: &generator))
            let isSound =
                records.allSatisfy { written.contains($0.sequence) } && decoder.damagedByteCount <= Int64(bytes.count)
                && zip(records, records.dropFirst()).allSatisfy { $0.sequence < $1.sequence }
            if !isSound { Issue.record("mutated to \(bytes)") }
        }
    }

    @Test func decodesNoBodyThatWouldTrap() {
        // With right checksums, as a program error or an attacker would make them: no crash, and only positions that are ones.
        var generator = SeededGenerator(seed: 11)
        var body: [UInt8] = [JournalCodec.Kind.position, 1]
        PositionCodec.append(Sample.position(second: 0), source: nil, to: &body)
        for _ in 0..<50_000 {
            var mutated = body
            for _ in 0..<3 { mutated[Int.random(in: 0..<mutated.count, using: &generator)] = .random(in: .min ... .max, using: &generator) }
            guard case .position(let position) = JournalCodec.decodeBody(mutated[...], source: nil)?.content else { continue }
            #expect(position.time?.hasFourDigitYear != false)
            var writer = GPXWriter(creator: "waypost test")
            var text = TextBuffer()
            writer.point(position, into: &text)
        }
    }
}
