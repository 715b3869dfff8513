import Waypost
import WaypostDispatch
import WaypostRecording

/// What has the fence events of a log.
package protocol EventSupply: Sendable {
    /// The number of the newest record; 0 when there is none.
    ///
    /// - Errors: the log cannot be read at the moment.
    func newestNumber() async throws(PositionSupplyError) -> UInt64
    /// The fence events after a number and up to another, at most `limit`.
    func events(after number: UInt64, through last: UInt64, limit: Int) async throws(PositionSupplyError) -> EventPage
}

/// The fence events of the log, for an outbox that could not accept them when they happened.
///
/// Its disk was full and then the program was killed, or there were more than memory holds.
package struct LoggedEvents: Sendable {
    private let log: any EventSupply
    /// The largest number that may have been given before this run, in whatever log: the outbox may have events up to there.
    private let given: UInt64

    /// How many are offered at once.
    private static let pageCount = 500

    /// The events of that log, and of those before it in other folders.
    ///
    /// - Parameter given: the largest number that may have been given before this run, also in another log.
    package init(of log: any EventSupply, given: UInt64 = 0) {
        (self.log, self.given) = (log, given)
    }

    /// Offers what came after the last event that the outbox accepted, with the original ids: it refuses those that it knows.
    ///
    /// - Parameter last: the last number to offer; an outbox that has accepted nothing yet begins there. Nil for everything in the log.
    /// - Returns: why the log, or the rest of it, cannot be read now; nil when all of it was offered.
    package func offer(to outbox: Outbox, through last: UInt64? = nil) async throws(OutboxError) -> String? {
        do {
            let newest = min(max(try await log.newestNumber(), given), last ?? .max)
            try await bringBack(to: outbox, through: newest)
            // A log that ends before it was removed: its numbers begin again.
            let through = min(await outbox.loggedNumber ?? newest, newest)
            await outbox.noteLogged(through: through)
            return try await offer(to: outbox, after: through, through: newest)
        } catch let error as OutboxError {
            throw error
        } catch {
            // What cannot be read now cannot be sent; later events are.
            return (error as? PositionSupplyError)?.reason ?? "\(error)"
        }
    }

    /// Offers what came after a number and up to another; returns why the log, or the rest of it, cannot be read now, or nil.
    private func offer(to outbox: Outbox, after number: UInt64, through last: UInt64) async throws(OutboxError) -> String? {
        var through = number
        while true {
            let page: EventPage
            do throws(PositionSupplyError) {
                page = try await log.events(after: through, through: last, limit: LoggedEvents.pageCount)
            } catch {
                return error.reason
            }
            guard page.through > through else { return nil }
            try await outbox.accept(page.events.map(OutboxEntry.event), loggedThrough: page.through, lostCount: page.lostCount)
            through = page.through
        }
    }

    /// Restores what a lost outbox had: each destination gets what is after its mark, and nothing that was discarded before.
    private func bringBack(to outbox: Outbox, through newest: UInt64) async throws {
        guard let interruption = await outbox.interruption else { return }
        var through = min(await outbox.loggedNumber ?? newest, newest)
        var count = 0
        func read(through stop: UInt64) async throws {
            while through < stop {
                let page = try await log.events(after: through, through: stop, limit: LoggedEvents.pageCount)
                guard page.through > through else { return }
                // The lost outbox never had those after it, and had counted what was gone before.
                let wasTaken = page.through <= interruption.takenThrough ?? .max
                let new = try await outbox.takeBack(
                    page.events.map(OutboxEntry.event), loggedThrough: page.through, lostCount: wasTaken ? 0 : page.lostCount)
                if wasTaken { count += new }
                through = page.through
            }
        }
        let taken = interruption.takenThrough ?? newest
        for stop in interruption.stops {
            for place in [taken, stop.number] where place <= stop.number { try await read(through: min(place, newest)) }
            if stop.isEnd { try await outbox.endTakenBack(for: stop.name) } else { try await outbox.skipTakenBack(for: stop.name) }
        }
        try await read(through: min(taken, newest))
        try await read(through: newest)
        try await outbox.endInterruption(broughtBack: count, newestPosition: newest)
    }
}

/// Fence events of a log.
package struct EventPage: Sendable {
    /// The events, in the order of their numbers.
    var events: [TrackerEvent] = []
    /// Up to this number there are no others.
    var through: UInt64
    /// How many of those up to there a limit has deleted.
    var lostCount = 0
}

extension OutboxInterruption {
    /// The numbers of the log at which destinations begin to lack events, and those at which no later ones are meant for them; in order.
    fileprivate var stops: [(number: UInt64, name: String, isEnd: Bool)] {
        let begins = destinations.map { (number: $0.events, name: $0.name, isEnd: false) }
        let ends = destinations.compactMap { destination in
            destination.through.map { (number: max($0, destination.events), name: destination.name, isEnd: true) }
        }
        return (begins + ends).sorted { $0.number == $1.number ? !$0.isEnd && $1.isEnd : $0.number < $1.number }
    }
}

extension LogPositions: EventSupply {
    /// The fence events after a number and up to another, at most `limit`.
    package func events(after number: UInt64, through last: UInt64, limit: Int) throws(PositionSupplyError) -> EventPage {
        var reader = LogReader(folder: folder, from: .after(number))
        reader.missesDeleted = .events
        var page = EventPage(through: number)
        do throws(RecordingError) {
            while page.events.count < limit, let record = try reader.next() {
                let losses = takeLosses(.events, of: &reader, after: number, through: last)
                if record.sequence > last { break }
                page.lostCount += losses.reduce(0) { $1.note == .deleted ? $0 + $1.count : $0 }
                page.through = record.sequence
                if case .event(let event) = record.content, event.isOfFence, !isHidden(record) { page.events.append(event) }
            }
        } catch {
            if page.events.isEmpty { throw PositionSupplyError(reason: "\(error)") }
        }
        return page
    }
}
