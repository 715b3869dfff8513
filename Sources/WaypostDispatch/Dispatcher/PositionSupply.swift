import Waypost
import WaypostSystem

/// The source of the positions to send: they are stored once, in the log, and a destination holds only a cursor into it.
///
/// Numbers grow from position to position for ever and may skip some; none is used twice.
/// - Concurrency: called for several destinations at the same time.
public protocol PositionSupply: Sendable {
    /// The positions after that number and up to `last`, in order, at most `limit`.
    ///
    /// - Errors: the log cannot be read at the moment; the call is repeated later.
    func positions(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> PositionPage

    /// How many positions there are after that number and up to `last`.
    ///
    /// Exact as long as that is quick to find; for many, the order of magnitude is enough.
    func count(after number: UInt64, through last: UInt64) async throws(PositionSupplyError) -> Int

    /// The number of the newest position; 0 when there is none.
    func newestNumber() async throws(PositionSupplyError) -> UInt64
}

extension PositionSupply {
    /// How many positions a destination still has to get.
    ///
    /// - Parameter state: its progress.
    public func count(waitingFor state: DestinationState) async throws(PositionSupplyError) -> Int {
        let cursor = state.positions
        var count = 0
        for stretch in cursor.stretches + (cursor.isOpen ? [.init(after: cursor.live, through: .max)] : []) {
            count += try await self.count(after: stretch.after, through: stretch.through)
        }
        for settled in state.settledPositions.stretches where settled.through > cursor.first {
            count -= try await self.count(after: max(settled.after, cursor.first), through: settled.through)
        }
        return max(0, count)
    }
}

/// Some positions of the log.
public struct PositionPage: Sendable, Hashable {
    /// The positions with their numbers, in order.
    public var positions: [NumberedPosition]
    /// Up to here there are no positions besides ``positions``; the next page follows after it.
    public var through: UInt64
    /// Positions within the requested numbers that can no longer be read.
    public var missing: [MissingPositions]

    /// A page.
    public init(positions: [NumberedPosition], through: UInt64, missing: [MissingPositions] = []) {
        self.positions = positions
        self.through = through
        self.missing = missing
    }
}

/// Positions that the log has lost.
public struct MissingPositions: Sendable, Hashable {
    /// Their numbers come after this one.
    public var after: UInt64
    /// The last of their numbers.
    public var through: UInt64
    /// How many there are, as far as that is known; with all these numbers, at most.
    public var count: Int
    /// Whether limits of the log deleted them: a destination of which nobody knows what it has does not count them.
    package var wasDeleted = false

    /// Lost positions up to a number.
    ///
    /// - Parameters:
    ///   - number: their numbers come after this one; nil when they have just as many numbers as there are of them.
    ///   - through: the last of their numbers.
    ///   - count: how many there are, as far as that is known.
    public init(after number: UInt64? = nil, through: UInt64, count: Int) {
        after = number ?? through - min(through, UInt64(clamping: count))
        self.through = through
        self.count = count
    }
}

/// A position of the log with its number.
public struct NumberedPosition: Sendable, Hashable {
    /// Its number in the log.
    public var number: UInt64
    /// The fix.
    public var position: Position

    /// The digits that distinguish the log from all others.
    private let digits: String

    /// A position of that number.
    ///
    /// - Parameters:
    ///   - number: its number in the log.
    ///   - position: the fix.
    ///   - origin: the log it comes from.
    public init(number: UInt64, position: Position, origin: RecordOrigin) {
        self.number = number
        self.position = position
        digits = origin.digits
    }

    /// Its permanent id: the number alone would repeat after the log folder was removed, and number and time both could in another log.
    public var id: String { "p-\(number)-\(position.time?.millisecondsSince1970 ?? 0)-\(digits)" }

    /// The largest number of a log.
    private static let largestNumber: UInt64 = 1 << 62

    /// The number in an id; nil when it is not the id of a position.
    public static func number(ofID id: String) -> UInt64? {
        let parts = id.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "p", let number = UInt64(parts[1]),
            (1...NumberedPosition.largestNumber).contains(number)
        else { return nil }
        return number
    }
}

/// What distinguishes the positions of one log from those of all others: the machine, and the log's folder on it.
public struct RecordOrigin: Sendable, Hashable {
    /// Always the same for one folder on one machine.
    let digits: String

    /// The origin of a log's records.
    ///
    /// - Parameter path: the folder of the log; two trackers on one machine have two.
    public init(logFolder path: String) {
        digits = MachineIdentity.digits(for: "records\n\(path)", digitCount: 12)
    }

    /// Whether a position with that id is from this log.
    ///
    /// - Parameter id: the id of a position.
    public func isOrigin(ofID id: String) -> Bool { RecordOrigin.digits(ofID: id) == digits[...] }

    /// The part after the last dash of a record's id.
    static func digits(ofID id: String) -> Substring { id[(id.lastIndex(of: "-").map(id.index(after:)) ?? id.startIndex)...] }
}

/// The log cannot be read at the moment.
public struct PositionSupplyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, for people.
    public var reason: String
    /// The same.
    public var description: String { reason }

    /// A failure for that reason.
    public init(reason: String) {
        self.reason = reason
    }
}
