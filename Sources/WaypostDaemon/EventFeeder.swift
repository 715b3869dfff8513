import Logging
import Waypost
import WaypostDispatch

/// Hands fence events to the outbox, and keeps them while the disk takes nothing.
///
/// What it keeps is lost with the process; the fences' own state tells the last events once more in the next run.
actor EventFeeder {
    private let logger: Logger
    private let accept: @Sendable ([OutboxEntry]) async throws(OutboxError) -> Void
    private let pause: Duration
    private var waiting: [OutboxEntry] = []
    private var retrying: Task<Void, Never>?
    private(set) var droppedCount = 0
    private var failure: OutboxError?

    /// So many are kept in memory.
    static let maximumCount = 1_000

    /// A feeder of that outbox, which tries again after a pause.
    init(
        logger: Logger, pause: Duration = .seconds(10), accept: @escaping @Sendable ([OutboxEntry]) async throws(OutboxError) -> Void
    ) {
        self.logger = logger
        self.pause = pause
        self.accept = accept
    }

    /// What is wrong, for people; nil when nothing is.
    var problem: String? {
        guard let failure, !waiting.isEmpty else { return nil }
        let lost = droppedCount > 0 ? ", \(droppedCount) were lost" : ""
        return "\(counted(waiting.count, "event")) \(waiting.count == 1 ? "waits" : "wait") in memory\(lost): \(failure)"
    }

    /// Takes an event; it is on the disk when this returns, unless the disk takes nothing now.
    func take(_ entry: OutboxEntry) async {
        if waiting.count == EventFeeder.maximumCount {
            waiting.removeFirst()
            droppedCount += 1
        }
        waiting.append(entry)
        await hand()
    }

    /// Forgets what waits in memory and happened from the first time until the second one.
    func forget(from: UTCTime, to: UTCTime) {
        waiting.removeAll { entry in entry.time.map { from <= $0 && $0 < to } ?? false }
    }

    /// Tries once more, at the end of the program.
    func finish() async {
        retrying?.cancel()
        if !waiting.isEmpty { await hand() }
    }

    private func hand() async {
        let entries = waiting
        failure = await accepting(entries)
        guard let failure else {
            // Others may have come, or have been handed over, meanwhile.
            let ids = Set(entries.map(\.id))
            waiting.removeAll { ids.contains($0.id) }
            if waiting.isEmpty, let retrying {
                retrying.cancel()
                self.retrying = nil
                logger.notice("the outbox takes events again\(droppedCount > 0 ? "; \(droppedCount) were lost" : "")")
            }
            return
        }
        guard retrying == nil else { return }
        logger.error("the outbox takes no events now, they wait in memory: \(failure)")
        retrying = Task { await retry() }
    }

    /// Why the entries are not on the disk; nil when they are, or never will be.
    private func accepting(_ entries: [OutboxEntry]) async -> OutboxError? {
        do throws(OutboxError) {
            try await accept(entries)
        } catch .tooLong(let byteCount, let limit) where entries.count == 1 {
            logger.error("event \(entries[0].id) is not sent: \(OutboxError.tooLong(byteCount: byteCount, limit: limit))")
        } catch .tooLong {
            // One that is too long holds up no other.
            for entry in entries { if let failure = await accepting([entry]) { return failure } }
        } catch {
            return error
        }
        return nil
    }

    private func retry() async {
        while !waiting.isEmpty {
            do { try await Task.sleep(for: pause) } catch { return }
            await hand()
        }
    }
}
