import Testing
import Waypost

@testable import WaypostRecording

/// Every order in which a recorder's bytes and a reader's steps can come, for a journal of three short records: nothing is drawn at random.
///
/// A state is what the reader knows and how far the journal is written. From each there are these steps: the recorder writes one more byte, so
/// that every prefix is seen at every step of the reader; or the reader reads a piece, of which a part may be as
/// new as the end of any record. States that were met before are not followed again.
@Suite struct JournalInterleavingTests {
    private struct State {
        var scan: JournalScan
        var written: Int
        /// The last record that was given.
        var given: Int
    }

    /// The journal, and the reader that begins at one of its bytes.
    private struct Model {
        let bytes: [UInt8]
        /// Where each record begins, and where the last one ends.
        let borders: [Int]
        let piece: Int
        let start: Int
        var hasTears = false
        var seen: Set<Int> = []
        var problem: String?

        private static let room = 24

        init(piece: Int, start: Int) {
            var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            var borders = [bytes.count]
            // With a marker, with zeros, and with nothing in them.
            for (index, payload) in ([[JournalCodec.marker], [0], []] as [[UInt8]]).enumerated() {
                let record = JournalRecord(sequence: UInt64(index + 1), content: .other(kind: 200, payload: payload))
                JournalCodec.append(record, source: nil, to: &bytes)
                borders.append(bytes.count)
            }
            (self.bytes, self.borders, self.piece, self.start) = (bytes, borders, piece, start)
        }

        /// How many records a reader that begins there cannot see.
        private var hiddenCount: Int { start == 0 ? 0 : borders.dropLast().count { $0 < start } }
        /// Whether it begins at a record, or at the header.
        private var isAtBorder: Bool { start == 0 || borders.contains(start) }

        /// Follows every order of steps; the number of states.
        mutating func explore() throws -> Int {
            let after = hiddenCount > 0 ? UInt64(hiddenCount) : nil
            let decoder = start == 0 ? JournalDecoder() : JournalDecoder(lookingFrom: Int64(start), after: after)
            var waiting = [State(scan: JournalScan(decoder, isGrowing: true), written: max(start, borders[0]), given: hiddenCount)]
            while problem == nil, var state = waiting.popLast() {
                guard seen.insert(key(of: state)).inserted else { continue }
                if state.written < bytes.count {
                    var later = state
                    later.written += 1
                    waiting.append(later)
                }
                guard let request = try advance(&state) else {
                    if state.written == bytes.count { try checkEnd(state) } else { waiting.append(state) }
                    continue
                }
                for (end, at, isUpwards) in tears(from: state.written) {
                    var next = state
                    try read(request, into: &next, end: end, at: at, isUpwards: isUpwards)
                    waiting.append(next)
                }
            }
            return seen.count
        }

        /// A hash of everything in a state, the bytes that were read included.
        private func key(of state: State) -> Int {
            var hasher = Hasher()
            hasher.combine(state.written)
            hasher.combine(state.given)
            func combine(_ value: Any, _ depth: Int) {
                if let value = value as? any Hashable {
                    hasher.combine(AnyHashable(value))
                } else if depth < 3 {
                    let parts = Mirror(reflecting: value).children
                    hasher.combine(parts.count)
                    for part in parts { combine(part.value, depth + 1) }
                } else {
                    hasher.combine("\(value)")
                }
            }
            combine(state.scan, 0)
            return hasher.finalize()
        }

        /// The ways in which the recorder can get on during a read.
        private func tears(from written: Int) -> [(end: Int, at: Int, isUpwards: Bool)] {
            var ways = [(end: written, at: 0, isUpwards: true)]
            guard hasTears else { return ways }
            for end in borders where end > written {
                ways.append((end, 5, true))
                ways.append((end, 5, false))
            }
            return ways
        }

        /// Takes records until bytes are needed; nil at the end for now.
        private mutating func advance(_ state: inout State) throws -> (offset: Int, mayLook: Bool)? {
            while true {
                switch try state.scan.next() {
                case .record(let record):
                    state.given += 1
                    if record.sequence != UInt64(state.given) {
                        problem = "from \(start), piece \(piece): record \(record.sequence) and not \(state.given) at \(state.written)"
                        return nil
                    }
                case .end: return nil
                case .read(let offset): return (Int(offset), false)
                case .look(let offset): return (Int(offset), true)
                }
            }
        }

        /// A read of one piece; where the reader may look, from the first place with content.
        private func read(
            _ request: (offset: Int, mayLook: Bool), into state: inout State, end: Int, at: Int, isUpwards: Bool
        ) throws {
            let before = state.written
            state.written = max(before, end)
            var offset = request.offset
            if request.mayLook {
                guard let content = (offset..<max(offset, before)).first(where: { bytes[$0] != 0 }) else {
                    return try state.scan.receive([], from: Int64(offset))
                }
                offset = content
            }
            let size = bytes.count + Model.room
            let part = (min(offset, size)..<min(offset + piece, size)).map { place in
                let isLater = (place - offset >= at) == isUpwards
                return place < (isLater ? state.written : before) ? bytes[place] : 0
            }
            try state.scan.receive(part, from: Int64(offset))
        }

        /// Everything is written and the reader was at the end: it has all, and no more comes when no recorder is left.
        private mutating func checkEnd(_ last: State) throws {
            var state = last
            for round in 0..<2 {
                while problem == nil, let request = try advance(&state) {
                    try read(request, into: &state, end: bytes.count, at: 0, isUpwards: true)
                }
                if round == 0 { state.scan.endGrowth() }
            }
            let mayBeDamaged = !isAtBorder || start == 0 && state.scan.decoder.header == nil
            if state.given != borders.count - 1 || state.scan.decoder.damageCount > (mayBeDamaged ? 1 : 0) {
                problem = problem ?? "from \(start), piece \(piece): \(state.given) records, \(state.scan.decoder.damage)"
            }
            if start == 0, state.scan.decoder.header == nil { problem = problem ?? "from the start, piece \(piece): no header" }
        }
    }

    /// From the start of a file with its header, and behind that from each byte on; half a header is in `JournalScanTests`.
    @Test func missNothingInAnyOrder() throws {
        try explore(piece: 200) { $0.start == 0 || $0.start >= $0.borders[0] }
    }

    /// In pieces that are little longer than a record, from each record on.
    @Test func missNothingInPieces() throws {
        try explore(piece: 12) { $0.borders.contains($0.start) }
    }

    /// The first bytes of each read may be older than the rest of it, or newer; from the second record on.
    @Test func missNothingOfReadsThatTheRecorderOvertakes() throws {
        try explore(piece: 200, hasTears: true) { $0.start >= $0.borders[1] }
    }

    private func explore(piece: Int, hasTears: Bool = false, from isWanted: (Model) -> Bool) throws {
        var stateCount = 0
        for start in 0...Model(piece: piece, start: 0).bytes.count {
            var model = Model(piece: piece, start: start)
            model.hasTears = hasTears
            guard isWanted(model) else { continue }
            stateCount += try model.explore()
            if let problem = model.problem {
                Issue.record("\(problem)")
                return
            }
        }
        #expect(stateCount > 100)
        print("reader and recorder, pieces of \(piece): \(stateCount) states")
    }
}
