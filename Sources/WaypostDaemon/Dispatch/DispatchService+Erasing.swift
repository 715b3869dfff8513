import Logging
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostGeofences
import WaypostKit
import WaypostRecording

extension DispatchService {
    /// Records that a log may still have, though they are erased.
    var hidden: [ErasedRecords] { opening?.knownLogs.unerased().map(\.erased) ?? [] }

    /// Forgets the events of that time that the outbox has not accepted yet.
    func forget(from: UTCTime, to: UTCTime) async { await feeder?.forget(from: from, to: to) }

    /// Erases a time also from earlier logs from which something may still be to be sent, and whatever could not be erased before.
    ///
    /// What cannot be erased is not sent, now or later; the rest is.
    /// - Parameters:
    ///   - isLeft: whether the log of this run may still have something of it.
    ///   - recorder: that of the log of this run.
    func eraseFromFolders(_ stretch: Range<UTCTime>, isLeft: Bool, by recorder: TrackRecorder?) async -> FolderErasure {
        let erased = ErasedRecords(stretch, through: max(opening?.given ?? 0, await recorder?.newestNumber ?? 0))
        // Without destinations, nothing waits in earlier ones.
        guard let opening else { return FolderErasure(isNoted: !isLeft) }
        let supply = line.state.withLock { $0.supply }
        await supply?.hide(erased)
        let folders = opening.knownLogs.folders(with: opening.configuration.log.directory)
        var unerased = opening.knownLogs.unerased()
        unerased.add(.init(erased: erased, folders: isLeft ? folders : Array(folders.dropFirst())))
        let result = await opening.erase(unerased, by: recorder)
        note(opening.words(result), result)
        return result
    }

    /// Erases a time from what waits to be sent.
    ///
    /// What cannot be erased now is not sent, and it is tried again until it is erased; status says why.
    /// - Parameter settle: notes that all of it is erased, when that is later.
    /// - Returns: why it cannot be erased now, for people; nil when it is erased.
    func eraseWaiting(_ stretch: Range<UTCTime>, settle: @escaping @Sendable () async -> Void) async -> String? {
        await forget(from: stretch.lowerBound, to: stretch.upperBound)
        let dispatcher = line.state.withLock { state in
            // Also before it is known whether there is one: then it is opened at this moment.
            if state.dispatcher == nil, opening != nil, !state.stretchesToErase.contains(stretch) { state.stretchesToErase.append(stretch) }
            return state.dispatcher
        }
        do throws(OutboxError) { try await dispatcher?.erase(from: stretch.lowerBound, to: stretch.upperBound) } catch {
            noteErasure(error.description)
            eraseLater(stretch, settle)
            return error.description
        }
        guard dispatcher == nil, isShut else {
            opening?.note(stretch, isInOutbox: false)
            return nil
        }
        let words = problems.joined(separator: "; ")
        noteErasure("the outbox is not open")
        eraseLater(stretch, settle)
        return words
    }

    /// Tries to erase until it works, in the next run, too.
    private func eraseLater(_ stretch: Range<UTCTime>, _ settle: @escaping @Sendable () async -> Void) {
        opening?.note(stretch, isInOutbox: true)
        erasing.withLock { tasks in
            tasks[stretch]?.cancel()
            tasks[stretch] = Task { [weak self] in
                repeat {
                    do { try await Task.sleep(for: DispatchService.pause) } catch { return }
                } while await self?.finishErasing() == false
                if Task.isCancelled { return }
                self?.opening?.note(stretch, isInOutbox: false)
                await settle()
            }
        }
    }

    /// Erases what could not be erased from the outbox; returns whether nothing is left.
    private func finishErasing() async -> Bool {
        guard let outbox = dispatcher?.outbox else { return false }
        do throws(OutboxError) {
            try await outbox.finishErasing()
            try await removeAside()
        } catch {
            noteErasure(error.description)
            return false
        }
        noteErasure(nil)
        return true
    }

    /// Notes why something is not erased from the outbox yet.
    private func noteErasure(_ reason: String?) {
        let words = reason.map {
            "what waits to be sent may still have what was erased, which is not sent: \($0); tried again every "
                + "\(DispatchService.pause.components.seconds) s"
        }
        let told = line.state.withLock { state in
            defer { state.waitingErasure = words }
            return state.waitingErasure
        }
        if let words, words != told { logger.error("\(words)") }
        if words == nil, told != nil { logger.notice("what waits to be sent has nothing more of what was erased") }
    }

    /// Erases what was erased while no tracker ran, and what could not be erased before, before anything is sent.
    func eraseLeft(_ opening: DispatchOpening, by recorder: TrackRecorder?) async {
        var result = await opening.eraseLeft(by: recorder)
        // Of folders that are not there, it is told what waits in them.
        result.reasons = result.reasons.filter { LogFolder(path: $0.key).hasJournals }
        note(opening.words(result), result)
    }

    private func note(_ words: [String], _ result: FolderErasure) {
        let told = line.state.withLock { state in
            defer { (state.unerased, state.isErasureNoted) = (words, result.isNoted) }
            return state.unerased
        }
        for problem in words where !told.contains(problem) { logger.error("\(problem)") }
    }

    /// Notes that what was erased is forgotten everywhere; where it could not be, the next start tries again, and an outbox that opens later does.
    func settle(_ erasures: PendingErasures, in folder: LogFolder, _ keeper: GeofenceKeeper, _ last: LastPosition) async {
        let stretches = erasures.stretches
        guard !stretches.isEmpty, !isShut, line.state.withLock({ $0.isErasureNoted }), await dispatcher?.outbox.hasErasedAll != false,
            await keeper.isSaved, !last.isIn(stretches)
        else { return }
        do throws(OutboxError) { try await removeAside() } catch {
            logger.error("a damaged outbox that was set aside may still have what was erased: \(error)")
            return
        }
        erasures.settle(current: folder, logger: logger)
    }

    /// Removes the damaged outboxes that were set aside, which may have anything that ever waited, and reports what is removed.
    func removeAside() async throws(OutboxError) {
        let path = DispatchOpening.path(in: stateFolder)
        let removed =
            if let outbox = dispatcher?.outbox { try await outbox.removeAside() } else { try OutboxAside.remove(ofOutbox: path) }
        for path in removed { logger.notice("\(path) is removed: it may have had what was erased") }
    }
}
