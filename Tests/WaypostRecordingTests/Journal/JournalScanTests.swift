import Testing
import Waypost

@testable import WaypostRecording

/// A model of a reader beside a recorder: what each read sees of a file that is written meanwhile, at every offset of both.
@Suite struct JournalScanTests {
    /// A journal as it will be, and how far it is written.
    private struct GrowingFile {
        /// With what the disk makes of them.
        var bytes: [UInt8]
        /// The end of each record, the first of them that of the header.
        var ends: [Int]
        let room = 40
        var written = 0

        init(recordCount: Int) {
            bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            ends = [bytes.count]
            for sequence in 1...recordCount {
                // Of different lengths, with zeros and markers in them.
                let payload = [UInt8](repeating: sequence % 2 == 0 ? 0 : JournalCodec.marker, count: sequence * 5 % 13)
                let record = JournalRecord(sequence: UInt64(sequence), content: .other(kind: 200, payload: payload + [0xB5, 0, 7]))
                JournalCodec.append(record, source: nil, to: &bytes)
                ends.append(bytes.count)
            }
        }

        /// A read of at most so many bytes during which the recorder gets on: one part is copied before, the other after.
        mutating func read(from offset: Int, upTo count: Int, _ progress: (to: Int, at: Int, isUpwards: Bool)? = nil) -> [UInt8] {
            let range = min(offset, bytes.count + room)..<min(offset + count, bytes.count + room)
            let before = written
            if let progress { written = max(written, progress.to) }
            return range.map { place in
                guard let progress else { return place < before ? bytes[place] : 0 }
                let isLater = (place - offset >= progress.at) == progress.isUpwards
                return place < (isLater ? written : before) ? bytes[place] : 0
            }
        }

        /// Where something else than zeros begins.
        func content(from offset: Int) -> Int? { (offset..<max(offset, written)).first { bytes[$0] != 0 } }
    }

    /// Reads to the end for now; `read` gives the bytes from an offset on.
    private func sequences(
        _ scan: inout JournalScan, _ file: inout GrowingFile, tellsRoom: Bool, _ read: (inout GrowingFile, Int) -> [UInt8]
    ) throws -> [UInt64] {
        var sequences: [UInt64] = []
        while true {
            switch try scan.next() {
            case .record(let record): sequences.append(record.sequence)
            case .end: return sequences
            case .read(let offset): try scan.receive(read(&file, Int(offset)), from: offset)
            case .look(let offset):
                guard let start = tellsRoom ? file.content(from: Int(offset)) : Int(offset) else {
                    try scan.receive([], from: offset)
                    continue
                }
                try scan.receive(read(&file, start), from: Int64(start))
            }
        }
    }

    /// At one of the reads the recorder gets from any byte to the end of any record, the rest comes after the reader was at the end.
    @Test(arguments: [13, 200], [true, false]) func missesNothingWhereverTheRecorderIs(piece: Int, tellsRoom: Bool) throws {
        let whole = GrowingFile(recordCount: 3)
        let expected = Array(1...UInt64(3))
        for start in 0..<whole.bytes.count {
            for end in whole.ends + [start + 3] where end > start && end <= whole.bytes.count {
                for meeting in 0..<(2 * whole.bytes.count / piece + 3) {
                    for (at, isUpwards) in [
                        (0, true), (piece / 3, true), (piece / 3, false), (piece * 3 / 4, true), (piece * 3 / 4, false),
                    ] {
                        var file = whole
                        file.written = start
                        var scan = JournalScan(isGrowing: true)
                        var count = 0
                        var found = try sequences(&scan, &file, tellsRoom: tellsRoom) { file, offset in
                            count += 1
                            return file.read(from: offset, upTo: piece, count == meeting + 1 ? (end, at, isUpwards) : nil)
                        }
                        file.written = file.bytes.count
                        found += try sequences(&scan, &file, tellsRoom: tellsRoom) { $0.read(from: $1, upTo: piece) }
                        scan.endGrowth()
                        found += try sequences(&scan, &file, tellsRoom: tellsRoom) { $0.read(from: $1, upTo: piece) }
                        if found != expected || scan.decoder.damageCount > 0 || scan.decoder.header == nil {
                            Issue.record("\(found), \(scan.decoder.damage): from \(start) to \(end) at byte \(at) of read \(meeting)")
                            return
                        }
                    }
                }
            }
        }
    }

    /// The recorder gets on at any of the reads; some disks spoil a stretch that was written.
    @Test func missesNothingAndTellsOfDamageOnceWhateverTheOrder() throws {
        var generator = SeededGenerator(seed: 17)
        for round in 0..<3_000 {
            var file = GrowingFile(recordCount: 12)
            var hit: Range<Int>?
            if round % 2 == 1 {
                // From within one record to within another or the same, and whole ones behind.
                let first = Int.random(in: 0..<9, using: &generator)
                let last = Int.random(in: first...9, using: &generator)
                let range = Int.random(in: file.ends[first]..<file.ends[first + 1], using: &generator)..<file.ends[last + 1]
                hit = first + 1..<last + 2
                for place in range {
                    file.bytes[place] = round % 4 == 1 ? 0 : file.bytes[place] ^ .random(in: 1 ... .max, using: &generator)
                }
            }
            let expected = (1...12).filter { hit?.contains($0) != true }.map(UInt64.init)
            let piece = Int.random(in: 1...100, using: &generator)
            let tellsRoom = Bool.random(using: &generator)
            var scan = JournalScan(isGrowing: true)
            var found: [UInt64] = []
            while file.written < file.bytes.count {
                found += try sequences(&scan, &file, tellsRoom: tellsRoom) { file, offset in
                    guard Int.random(in: 0..<3, using: &generator) == 0 else { return file.read(from: offset, upTo: piece) }
                    let end = min(file.bytes.count, file.written + .random(in: 1...60, using: &generator))
                    return file.read(
                        from: offset, upTo: piece, (end, .random(in: 0...piece, using: &generator), .random(using: &generator)))
                }
                if hit == nil, scan.decoder.damageCount > 0 { break }
            }
            // Damage is passed over while the journal grows, too: whole records stand behind it.
            found += try sequences(&scan, &file, tellsRoom: tellsRoom) { $0.read(from: $1, upTo: piece) }
            let damage = scan.decoder.damage
            let isTold = hit.map { damage.count == 1 && Int(damage[0].offset) == file.ends[$0.lowerBound - 1] } ?? damage.isEmpty
            if found != expected || !isTold {
                Issue.record("round \(round): \(found) and not \(expected), damage \(damage)")
                return
            }
        }
    }
}
