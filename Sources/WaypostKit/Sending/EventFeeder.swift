import Waypost
import WaypostDispatch

/// Hands fence events to the outbox in order, and keeps them while the disk cannot be written.
///
/// Events in the log are read again from there, in the next run too. Others are lost with the process; the fences' own state reports
/// the last events once more in the next run.
package actor EventFeeder {
    /// News for people.
    package struct Notice: Sendable {
        /// Whether something is wrong; else it is well again.
        package var isProblem: Bool
        /// What happened.
        package var words: String
    }

    private let notify: @Sendable (Notice) -> Void
    private let accept: @Sendable ([OutboxEntry], UInt64?) async throws(OutboxError) -> Void
    private let offerLogged: @Sendable () async throws(OutboxError) -> String?
    private let pause: Duration
    private var waiting: [(entry: OutboxEntry, number: UInt64?)] = []
    /// Whether the log may have events that neither the outbox nor the memory has: at first those of the previous run.
    private var isBehind = true
    private var handing: Task<Void, Never>?
    /// Whether what waits is handed over as soon as the current hand-over has ended.
    private var isHandingDue = false
    private var retrying: Task<Void, Never>?
    private var droppedCount = 0
    private var failure: OutboxError?
    /// Why the log could not be read at the last attempt.
    private var unread: String?

    /// How many are kept in memory.
    private static let maximumCount = 1_000

    /// A feeder of that outbox, which tries again after a pause.
    ///
    /// - Parameters:
    ///   - notify: gets the news.
    ///   - pause: between two attempts.
    ///   - accept: receives events, and the number of the log up to which all of them are then accepted.
    ///   - offerLogged: adds what the log has and the outbox does not; returns why the log cannot be read, if so.
    package init(
        notify: @escaping @Sendable (Notice) -> Void, pause: Duration = .seconds(10),
        accept: @escaping @Sendable ([OutboxEntry], UInt64?) async throws(OutboxError) -> Void,
        offerLogged: @escaping @Sendable () async throws(OutboxError) -> String?
    ) {
        self.notify = notify
        self.pause = pause
        self.accept = accept
        self.offerLogged = offerLogged
    }

    /// The problem, in words for people; nil when there is none.
    package var problem: String? {
        guard let failure, !hasNothing else { return unread.map { "events in the log may not be sent: \($0); tried again" } }
        let loggedCount = waiting.count { $0.number != nil }
        var parts: [String] = []
        if isBehind || loggedCount > 0 { parts.append("\(isBehind ? "events" : counted(loggedCount, "event")) in the log") }
        if waiting.count > loggedCount { parts.append("\(counted(waiting.count - loggedCount, "event")) in memory") }
        let wait = !isBehind && waiting.count == 1 ? "waits" : "wait"
        return "\(parts.joined(separator: " and ")) \(wait) for the outbox\(lossText): \(failure)"
    }

    private var lossText: String { droppedCount > 0 ? ", \(droppedCount) were lost" : "" }

    /// Whether the outbox has everything.
    package var isDone: Bool { hasNothing && handing == nil }

    /// Whether nothing is left to hand over except what is on its way.
    private var hasNothing: Bool { waiting.isEmpty && !isBehind }

    /// The ids of those that only memory has.
    package var unloggedIDs: Set<String> { Set(waiting.lazy.filter { $0.number == nil }.map(\.entry.id)) }

    /// Accepts an event; one that is not in the log is on the disk when this returns, unless the disk cannot be written now.
    ///
    /// It does not wait for one that is in the log: the caller has positions to log.
    /// - Parameter number: its number in the log, after those of all events before it; nil when it is not there.
    package func enqueue(_ entry: OutboxEntry, loggedAs number: UInt64?) async {
        if waiting.count == EventFeeder.maximumCount {
            // The log has most or all of them.
            isBehind = true
            waiting.removeAll { $0.number != nil }
            if waiting.count == EventFeeder.maximumCount {
                waiting.removeFirst()
                droppedCount += 1
            }
        }
        waiting.append((entry, number))
        guard number != nil else { return await hand() }
        if isHandingDue { return }
        isHandingDue = true
        Task { await handDue() }
    }

    private func handDue() async {
        while let handing { await handing.value }
        isHandingDue = false
        await hand()
    }

    /// Notes that an event is in the log now, under that number.
    package func markLogged(_ id: String, as number: UInt64) {
        for index in waiting.indices where waiting[index].entry.id == id { waiting[index].number = number }
    }

    /// Hands over what the log has and the outbox does not.
    package func catchUp() async { await hand() }

    /// Forgets what waits in memory and happened from the first time until the second one.
    package func forget(from: UTCTime, to: UTCTime) async {
        // What is on its way is then in the outbox, which is searched next.
        while let handing { await handing.value }
        waiting.removeAll { waiting in waiting.entry.time.map { from <= $0 && $0 < to } ?? false }
    }

    /// Tries once more, at the end of the program.
    package func finish() async {
        retrying?.cancel()
        await hand()
    }

    /// One hand-over after the other: each one implies that everything before it was accepted.
    private func hand() async {
        while let handing { await handing.value }
        guard !hasNothing else { return }
        let task = Task {
            await handOver()
            handing = nil
        }
        handing = task
        await task.value
    }

    private func handOver() async {
        let wasUnread = unread
        failure = await offering()
        if failure == nil { failure = await accepting() }
        if let unread, unread != wasUnread { report("events in the log may not be sent, as it cannot be read: \(unread)") }
        guard failure != nil || isBehind else {
            if hasNothing, let retrying {
                retrying.cancel()
                self.retrying = nil
                let words = wasUnread == nil ? "the outbox takes events again\(lossText)" : "the events in the log can be read again"
                notify(Notice(isProblem: false, words: words))
            }
            return
        }
        guard retrying == nil else { return }
        if let failure { report("the outbox accepts no events now; they wait: \(failure)") }
        retrying = Task { await retry() }
    }

    /// Why events that only the log has are not in the outbox; nil when they are.
    private func offering() async -> OutboxError? {
        guard isBehind else { return nil }
        // Events that arrive meanwhile are kept, because they may come after what is read.
        isBehind = false
        do throws(OutboxError) {
            unread = try await offerLogged()
            if unread != nil { isBehind = true }
        } catch {
            isBehind = true
            return error
        }
        return nil
    }

    /// Why events in memory are not in the outbox; nil when they are, or never will be.
    private func accepting() async -> OutboxError? {
        let taken = waiting
        guard !taken.isEmpty else { return nil }
        // After a gap in the log that could not be read, nothing is known to be accepted.
        let isRead = !isBehind
        do throws(OutboxError) {
            do throws(OutboxError) {
                try await accept(taken.map(\.entry), isRead ? taken.compactMap(\.number).max() : nil)
            } catch .tooLong {
                // One that is too long must not hold up the others.
                for (entry, number) in taken { try await acceptAlone(entry, isRead ? number : nil) }
            }
        } catch {
            return error
        }
        // Others may have arrived in the meantime.
        let ids = Set(taken.map(\.entry.id))
        waiting.removeAll { ids.contains($0.entry.id) }
        return nil
    }

    private func acceptAlone(_ entry: OutboxEntry, _ number: UInt64?) async throws(OutboxError) {
        do throws(OutboxError) { try await accept([entry], number) } catch .tooLong(let byteCount, let limit) {
            report("event \(entry.id) is not sent: \(OutboxError.tooLong(byteCount: byteCount, limit: limit))")
        }
    }

    private func report(_ problem: String) { notify(Notice(isProblem: true, words: problem)) }

    private func retry() async {
        while !hasNothing {
            do { try await Task.sleep(for: pause) } catch { return }
            await hand()
        }
    }
}
