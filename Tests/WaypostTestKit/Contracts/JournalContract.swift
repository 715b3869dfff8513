import Waypost
import WaypostRecording

/// The contract of a `JournalDecoder`, whatever it is fed: journals are read after power cuts and from worn-out cards.
public enum JournalContract {
    /// The ways in which the decoder breaks its contract on that input; the seed decides where the input is cut.
    ///
    /// - The same input cut elsewhere gives the same records and the same damage.
    /// - Sequence numbers grow from 1 to 2^62, positions keep their ranges, and no more is reported as damaged than there is.
    ///
    /// Bytes from a fuzzer hardly ever have valid checksums, so the input is read once more with its checksums corrected.
    public static func violations(decoding input: [UInt8], seed: UInt64) -> [Violation] {
        var generator = SeededGenerator(seed: seed)
        var violations: [Violation] = []
        for (name, bytes) in [("as it is", input), ("sealed", sealed(input))] {
            let whole = Reading(bytes) { bytes.count }
            let pieces = Reading(bytes) { .random(in: 1...97, using: &generator) }
            if pieces != whole { violations.append(Violation("\(name): read otherwise in pieces")) }
            if Reading(bytes, pieceLength: { 1 }) != whole { violations.append(Violation("\(name): read otherwise byte by byte")) }
            violations += whole.violations(byteCount: Int64(bytes.count)).map { Violation("\(name): \($0.description)") }
        }
        return violations
    }

    /// The input with the right checksum in every frame whose length fits: marker 0xB5, length:2, checksum:4, body.
    private static func sealed(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        var offset = 0
        while offset + 7 <= bytes.count {
            let bodyByteCount = Int(bytes[offset + 1]) | Int(bytes[offset + 2]) << 8
            guard bytes[offset] == 0xB5, bodyByteCount >= 2, offset + 7 + bodyByteCount <= bytes.count else {
                offset += 1
                continue
            }
            let body = CRC32C.checksum(bytes.span.bytes.extracting(offset + 7..<offset + 7 + bodyByteCount))
            let checksum = CRC32C.checksum(bytes.span.bytes.extracting(offset + 1..<offset + 3), continuing: body)
            for index in 0..<4 { bytes[offset + 3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
            offset += 7 + bodyByteCount
        }
        return bytes
    }
}

/// Everything that a decoder says about an input.
private struct Reading: Equatable {
    var records: [JournalRecord] = []
    var header: JournalHeader?
    var damage: [JournalDamage] = []
    var damageCount = 0
    var damagedByteCount: Int64 = 0
    var endOfLastRecord: Int64 = 0
    var endOfContent: Int64 = 0
    var failure: JournalFormatError?

    init(_ input: [UInt8], pieceLength: () -> Int) {
        var decoder = JournalDecoder()
        do throws(JournalFormatError) {
            var start = 0
            while start < input.count {
                let end = min(input.count, start + pieceLength())
                decoder.feed(Array(input[start..<end]))
                start = end
                while let record = try decoder.next() { records.append(record) }
            }
            decoder.endOfInput()
            while let record = try decoder.next() { records.append(record) }
        } catch {
            failure = error
        }
        header = decoder.header
        damage = decoder.damage
        damageCount = decoder.damageCount
        damagedByteCount = decoder.damagedByteCount
        endOfLastRecord = decoder.endOfLastRecord
        endOfContent = decoder.endOfContent
    }

    func violations(byteCount: Int64) -> [Violation] {
        var violations: [Violation] = []
        for (first, second) in zip(records, records.dropFirst()) where second.sequence <= first.sequence {
            violations.append(Violation("number \(second.sequence) follows \(first.sequence)"))
        }
        for record in records where record.sequence == 0 || record.sequence > 1 << 62 {
            violations.append(Violation("number \(record.sequence)"))
        }
        for case .position(let position) in records.map(\.content) {
            if let time = position.time, !time.hasFourDigitYear { violations.append(Violation("time \(time)")) }
            if position.accuracy?.radiusMetres.isFinite == false { violations.append(Violation("accuracy of \(position)")) }
        }
        if damagedByteCount < 0 || damagedByteCount > byteCount { violations.append(Violation("\(damagedByteCount) bytes damaged")) }
        if damage.count != min(damageCount, JournalDecoder.maximumDamageCount) {
            violations.append(Violation("\(damage.count) of \(damageCount) stretches of damage listed"))
        }
        if endOfLastRecord < 0 || endOfLastRecord > endOfContent || endOfContent > byteCount {
            violations.append(Violation("the last record ends at \(endOfLastRecord), the content at \(endOfContent) of \(byteCount)"))
        }
        return violations
    }
}
