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
            if let recorder = tracker.recorder { erasure = try await recorder.erase(from: from, to: to) }
        } catch {
            // It is erased elsewhere all the same.
            failure = error
        }
        do throws(RecordingError) { try await tracker.forgetPosition(stretch) } catch { throw ControlRefusal(error) }
        await tracker.fences.forget(from: from, to: to)
        // After the fences, whose events are on their way until then.
        if let problem = await tracker.forgetTold(from..<to) {
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not what programs are to be told: \(problem)",
                next: "erase it again once that is fixed")
        }
        let others = await tracker.dispatches.eraseFromFolders(stretch, isLeft: failure != nil, by: tracker.recorder)
        erasure += others.erased
        (answer.positionCount, answer.trackCount) = (erasure.positionCount, erasure.trackCount)
        tracker.logger.notice("erased \(counted(answer.positionCount, "position")) from the log (user \(caller.peer.userID))")
        try await tracker.eraseOutbox(from: from, to: to)
        guard await tracker.fences.keeper.isSaved else {
            let problems = await tracker.fences.keeper.problems.joined(separator: "; ")
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not the events of the fences: \(problems)",
                next: "erase it again once that is fixed")
        }
        if others.isNoted { tracker.logFolder.settleErased([stretch], logger: tracker.logger) }
        if let failure, !others.isNoted || others.isLeft(stretch, in: tracker.logFolder.path) { throw ControlRefusal(failure) }
        if let folder = others.folders(with: stretch).first {
            let until = others.isNoted ? "" : " before the next start, as it could not be noted"
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not the earlier one at \(folder); what it has of that is not sent\(until)",
                next: "waypost log erase --log \(shellWord(folder))")
        }
        return answer
    }
}

extension TrackerCommands {
    fileprivate func eraseOutbox(from: UTCTime, to: UTCTime) async throws(ControlRefusal) {
        await dispatches.forget(from: from, to: to)
        guard let dispatcher = dispatches.dispatcher else {
            if !dispatches.isShut { return try await removeAside() }
            let problems = dispatches.problems.joined(separator: "; ")
            throw ControlRefusal(
                .cannotStore, what: "log", why: "is erased, but not what waits to be sent: \(problems)",
                next: "erase it again once that is fixed")
        }
        do throws(OutboxError) { try await dispatcher.erase(from: from, to: to) } catch {
            throw ControlRefusal(
                ControlRefusal(error).code, what: "log", why: "is erased, but not what waits to be sent: \(error)",
                next: "erase it again once that is fixed")
        }
        try await removeAside()
    }

    /// Forgets what is told to those who only know roughly where the device is, and to programs; returns why that is not so, for people.
    fileprivate func forgetTold(_ stretch: Range<UTCTime>) async -> String? {
        do throws(SystemError) { try watches.reduced.forget(stretch) } catch { return error.description }
        return await wakes.forget(stretch)
    }

    private func removeAside() async throws(ControlRefusal) {
        do throws(OutboxError) { try await dispatches.removeAside() } catch {
            throw ControlRefusal(
                ControlRefusal(error).code, what: "log", why: "is erased, but not a damaged outbox that was set aside: \(error)",
                next: "remove it, or erase it again once that is fixed")
        }
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
