import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// Supplies a dispatcher with the positions and events of the log, and of earlier logs in other folders from which some are still to be sent.
///
/// Their numbers go on from one log to the next, so each number is in one of them.
/// - Concurrency: an actor; each log is read on its own thread.
package actor SuccessiveLogs: PositionSupply, EventSupply {
    /// A log in another folder.
    package struct Earlier: Sendable {
        /// Its folder.
        package let folder: LogFolder
        fileprivate let positions: LogPositions
        /// The first numbers of the journals that the current log does not have, too.
        fileprivate let starts: [UInt64]

        /// A log in another folder; nil when the current log has all its journals, as a copy of it.
        ///
        /// - Parameters:
        ///   - hidden: records that are not supplied.
        ///   - noteLoss: is told what it lacks.
        /// - Errors: it cannot be read.
        package init?(
            _ folder: LogFolder, types: [LogType], besides current: LogFolder, hiding hidden: [ErasedRecords] = [],
            noteLoss: @escaping @Sendable (LogLoss, LostRecords) -> Void
        ) throws {
            let copies = Set(try current.journals().map(\.stem))
            starts = try folder.journals().filter { !copies.contains($0.stem) }.map(\.firstSequence)
            guard !starts.isEmpty else { return nil }
            positions = try LogPositions(folder: folder, types: types, hiding: hidden, noteLoss: noteLoss)
            self.folder = folder
        }

        /// Whether its numbers were given before that one and the next ones: a log that has lost its counter begins with 1 again.
        package func ends(before number: UInt64) -> Bool { starts.allSatisfy { $0 > 0 && $0 < number } }

        /// How many of its positions a destination still has to get.
        package func count(waitingFor state: DestinationState) async throws(PositionSupplyError) -> Int {
            try await positions.count(waitingFor: state)
        }
    }

    /// Numbers that follow each other in one log.
    private struct Stretch {
        let first: UInt64
        /// The last one before the next stretch.
        var last: UInt64 = .max
        /// Which of the earlier logs has them; nil for the current one.
        let earlier: Int?
    }

    private let current: LogPositions
    private let earlier: [Earlier]
    /// In the order of the numbers; the last one is the current log's.
    private let stretches: [Stretch]
    /// The largest number that may have been given before this run.
    private let given: UInt64

    /// A log, with those before it.
    ///
    /// - Parameter given: the largest number that may have been given before this run.
    package init(_ current: LogPositions, after earlier: [Earlier], given: UInt64) {
        (self.current, self.earlier, self.given) = (current, earlier, given)
        // Without earlier logs nothing needs to be known of this one; whoever reads it reports that it cannot be read.
        let own = earlier.isEmpty ? [] : (try? current.folder.journals().map(\.firstSequence)) ?? []  // See above.
        var starts = (own + [given + 1]).map { Stretch(first: $0, earlier: nil) }
        for (index, log) in earlier.enumerated() { starts += log.starts.map { Stretch(first: $0, earlier: index) } }
        // Of a number that two logs have, nobody knows which is meant: it is the current one's.
        starts.sort { ($0.first, $0.earlier ?? -1) < ($1.first, $1.earlier ?? -1) }
        var stretches: [Stretch] = []
        for start in starts where stretches.last.map({ $0.earlier != start.earlier && $0.first < start.first }) ?? true {
            if let end = stretches.indices.last { stretches[end].last = start.first - 1 }
            stretches.append(start)
        }
        self.stretches = stretches
    }

    /// The log that has a number: the last one that begins before it.
    private func stretch(of number: UInt64) -> Stretch {
        let index = stretches.lastIndex { $0.first <= number } ?? stretches.startIndex
        return stretches[index]
    }

    /// The log that has the numbers after one, and the last number up to which it has them.
    private func log(after number: UInt64) -> (log: LogPositions, last: UInt64) {
        let stretch = stretch(of: number + 1)
        return (stretch.earlier.map { earlier[$0].positions } ?? current, stretch.last)
    }

    /// The positions after that number and up to `last`, in order, at most `limit`.
    ///
    /// Whoever gets fewer may take it that there are no more: the next log goes on where one ends.
    package func positions(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> PositionPage {
        var page = PositionPage(positions: [], through: number)
        while true {
            let (log, end) = log(after: page.through)
            let bound = min(last, end)
            let part = try await log.positions(after: page.through, through: bound, limit: limit - page.positions.count)
            page.positions += part.positions
            page.missing += part.missing
            page.through = max(page.through, part.through)
            // What follows is in another log.
            if page.positions.count < limit, end < .max { page.through = max(page.through, bound) }
            guard page.positions.count < limit, end < last else { return page }
        }
    }

    /// The fence events after a number and up to another, at most `limit`.
    package func events(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> EventPage {
        let (log, end) = log(after: number)
        let bound = min(last, end)
        var page = try await log.events(after: number, through: bound, limit: limit)
        if page.events.count < limit, end < .max { page.through = max(page.through, bound) }
        return page
    }

    /// How many positions there are after that number and up to `last`.
    package func count(after number: UInt64, through last: UInt64) async throws(PositionSupplyError) -> Int {
        var count = 0
        for (place, stretch) in stretches.enumerated() {
            let (after, through) = (place == 0 ? number : max(number, stretch.first - 1), min(last, stretch.last))
            guard after < through else { continue }
            count += try await (stretch.earlier.map { earlier[$0].positions } ?? current).count(after: after, through: through)
        }
        return count
    }

    /// The number of the newest record, or the largest that may have been given before this run: none comes again.
    package func newestNumber() async throws(PositionSupplyError) -> UInt64 { max(try await current.newestNumber(), given) }

    /// The numbers of the positions that limits deleted, of which the outbox may not have counted what destinations lacked.
    package nonisolated var deletedPositions: [ClosedRange<UInt64>] {
        ([current.folder] + earlier.map(\.folder)).flatMap(\.deletedPositions)
    }

    /// Supplies these records no more, from whatever log.
    package func hide(_ erased: ErasedRecords) async {
        for log in [current] + earlier.map(\.positions) { await log.hide(erased) }
    }
}
