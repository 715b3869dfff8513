import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostGeofences
import WaypostPositioning
import WaypostRecording
import WaypostSystem

// What is asked about the log.

extension RotateLogRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        guard let recorder = tracker.recorder else { throw ControlRefusal(logIsOffFor: "log rotate") }
        do throws(RecordingError) {
            let track = try await recorder.rotate()
            var answer = Answer()
            answer.track = track?.trackPath
            answer.positionCount = track?.positionCount ?? 0
            return answer
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension AcknowledgeLogRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        do throws(RecordingError) {
            let known = try Pullers(folder: tracker.logFolder).acknowledge(cursor, puller: puller)
            var answer = Answer()
            (answer.puller, answer.cursor) = (known.name, known.cursor)
            return answer
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension EraseLogRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        var answer = Answer()
        let stretch = from..<to
        // What was erased before something failed is gone, too.
        defer { tracker.page.live.tellErased(stretch) }
        var erasure = LogErasure()
        var failure: RecordingError?
        do throws(RecordingError) {
            if let recorder = tracker.recorder {
                erasure = try await recorder.erase(from: from, to: to)
            } else if tracker.logFolder.hasJournals {
                erasure = try LogMaintenance(folder: tracker.logFolder).erase(from: from, to: to)
            }
        } catch {
            // It is erased elsewhere all the same.
            failure = error
        }
        // What one place cannot forget keeps no other from it: the first of them is told.
        var refusals: [ControlRefusal] = []
        do throws(RecordingError) { try await tracker.forgetPosition(stretch) } catch { refusals.append(ControlRefusal(error)) }
        await tracker.fences.forget(from: from, to: to)
        // After the fences, whose events are on their way until then.
        if let problem = await tracker.forgetTold(stretch) {
            refusals.append(
                ControlRefusal(
                    .cannotStore, what: "log", why: "is erased, but not what programs are to be told: \(problem)",
                    next: "that is not told, and each start tries again"))
        }
        let others = await tracker.dispatches.eraseFromFolders(stretch, isLeft: failure != nil, by: tracker.recorder)
        erasure += others.erased
        (answer.positionCount, answer.trackCount) = (erasure.positionCount, erasure.trackCount)
        tracker.logger.notice("erased \(counted(answer.positionCount, "position")) from the log (user \(caller.peer.userID))")
        if let refusal = await tracker.eraseOutbox(stretch, isNoted: others.isNoted) { refusals.append(refusal) }
        if await !tracker.fences.keeper.isSaved {
            let problems = await tracker.fences.keeper.problems.joined(separator: "; ")
            refusals.append(
                ControlRefusal(
                    .cannotStore, what: "log", why: "is erased, but not the events of the fences: \(problems)",
                    next: "it is tried again until they are; see waypost status"))
        }
        if others.isNoted, refusals.isEmpty { tracker.logFolder.settleErased([stretch], logger: tracker.logger) }
        if let failure, !others.isNoted || others.isLeft(stretch, in: tracker.logFolder.path) { throw ControlRefusal(failure) }
        if let folder = others.folders(with: stretch).first {
            let until = others.isNoted ? "" : " before the next start, as it could not be noted"
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not the earlier one at \(folder); what it has of that is not sent\(until)",
                next: "waypost log erase --log \(shellWord(folder))")
        }
        if let refusal = refusals.first { throw refusal }
        return answer
    }
}

extension TrackerCommands {
    /// Erases what waits to be sent; returns why some of it is still on the disk.
    ///
    /// - Parameter isNoted: whether the log need not list the stretch once the outbox has nothing more of it.
    fileprivate func eraseOutbox(_ stretch: Range<UTCTime>, isNoted: Bool) async -> ControlRefusal? {
        let problem = await dispatches.eraseWaiting(stretch) { [fences, logFolder, logger] in
            if isNoted, await fences.keeper.isSaved { logFolder.settleErased([stretch], logger: logger) }
        }
        if let problem {
            return ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not what waits to be sent: \(problem)",
                next: "that is not sent, and it is tried again until it is erased; see waypost status")
        }
        do throws(OutboxError) { try await dispatches.removeAside() } catch {
            return ControlRefusal(
                ControlRefusal(error).code, what: "log", why: "is erased, but not a damaged outbox that was set aside: \(error)",
                next: "remove it, or erase it again once that is fixed")
        }
        return nil
    }

    /// Forgets what is told to those who only know roughly where the device is, and to programs; returns why that is not so, for people.
    fileprivate func forgetTold(_ stretch: Range<UTCTime>) async -> String? {
        do throws(SystemError) { try watches.reduced.forget(stretch) } catch { return error.description }
        return await wakes.forget(stretch)
    }

    /// Forgets the last position wherever it is known, when it is of that stretch.
    fileprivate func forgetPosition(_ stretch: Range<UTCTime>) async throws(RecordingError) {
        await manager.forget(stretch)
        watches.forget(stretch)
        page.live.forget(stretch)
        do throws(SystemError) { try await follower.forget(stretch) } catch {
            throw .cannotErase(path: follower.path, cause: error)
        }
    }
}
