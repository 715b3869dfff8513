import Logging
import Synchronization
import WaypostDispatch
import WaypostKit

// The regular look at the outbox, and what is tried again with it.
extension DispatchService {
    /// Whether the last check found nothing that must be tried again.
    var isWell: Bool { line.state.withLock { $0.refusal == nil && $0.pending.isEmpty } }

    /// Checks whether the outbox is in place, can be written and was damaged; logs what is new.
    ///
    /// It does not wait for long: ``report`` reports a disk that hangs.
    func check() async { _ = await looking.answer() }

    static func look(_ line: Line, logger: Logger) async {
        guard let outbox = line.state.withLock({ $0.dispatcher })?.outbox else { return }
        var refusal: String?
        do throws(OutboxError) { try await outbox.check() } catch { refusal = "nothing is taken for sending: \(error)" }
        line.state.withLock { $0.dispatcher }?.noteTime()
        await bringBack(line)
        await attachPending(line, logger: logger)
        retryMended(line)
        let (recovery, isOver, age) = (await outbox.recovery, await outbox.isRecovered, await outbox.recoveryAge())
        let (told, words, isTold) = line.state.withLock { state in
            defer { state.refusal = refusal }
            let words = state.recovery.note(recovery, isOver: isOver, age: age)
            return (state.refusal, words, state.recovery.problem == nil)
        }
        if recovery != nil, isTold { await outbox.forgetRecovery() }
        let dropCount = await outbox.limitDropCount
        if let words = line.state.withLock({ $0.drops.note(dropCount) }) { logger.warning("\(words)") }
        if refusal == nil { await countDeleted(line, logger: logger) }
        if let words { logger.error("\(words)") }
        if let refusal, refusal != told { logger.error("\(refusal)") }
        if refusal == nil, told != nil { logger.notice("the outbox is back: events are taken for sending") }
    }

    /// Restores from the log what an outbox lost that was damaged in use.
    private static func bringBack(_ line: Line) async {
        let (dispatcher, logged) = line.state.withLock { ($0.dispatcher, $0.logged) }
        guard let dispatcher, let logged, await dispatcher.outbox.interruption != nil else { return }
        do throws(OutboxError) {
            _ = try await logged.offer(to: dispatcher.outbox)
            try await dispatcher.reload()
        } catch {
            // It is checked again; why nothing is accepted is reported there.
        }
    }

    /// Tries destinations at once that somebody had to do something about, and whose secrets have changed.
    private static func retryMended(_ line: Line) {
        let (dispatcher, configured) = line.state.withLock { ($0.dispatcher, $0.configured) }
        for entry in configured where entry.destination.hasNewSecret { dispatcher?.retryMended(entry.name) }
    }

    /// Tries again to attach what could not be attached.
    private static func attachPending(_ line: Line, logger: Logger) async {
        let (dispatcher, pending) = line.state.withLock { ($0.dispatcher, $0.pending) }
        guard let dispatcher, !pending.isEmpty else { return }
        var left: [PendingDestination] = []
        for var entry in pending {
            do throws(OutboxError) {
                try await dispatcher.attach(entry.destination, entry.settings, after: entry.after)
                logger.notice("destination \(entry.settings.name): what waits for it is sent")
            } catch {
                entry.reason = "\(error)"
                left.append(entry)
            }
        }
        if left.isEmpty {
            // Otherwise its message holds until the next start: a damage that no longer matters is remembered.
            try? await dispatcher.finishAttaching()  // See above.
        }
        line.state.withLock { $0.pending = left }
    }
}
