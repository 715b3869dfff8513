import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

// What is asked about sending.
extension TrackerCommands {
    func openDispatcher() throws(ControlRefusal) -> Dispatcher {
        if let dispatcher = dispatches.dispatcher { return dispatcher }
        guard let problem = dispatches.problems.first else {
            throw ControlRefusal(
                .notFound, what: "destination", why: "there is none", next: "name one in the configuration: [[destination]]")
        }
        throw ControlRefusal(
            .cannotStore, what: "outbox", why: problem,
            next: "it is tried again every \(DispatchService.pause.components.seconds) s")
    }

    /// The dispatcher, once it is known that there is such a destination; one that is not in the configuration any more is known all the same.
    fileprivate func openDispatcher(for destination: String?) async throws(ControlRefusal) -> Dispatcher {
        let dispatcher = try openDispatcher()
        guard let destination else { return dispatcher }
        do throws(OutboxError) { _ = try await dispatcher.outbox.state(of: destination) } catch { throw ControlRefusal(error) }
        return dispatcher
    }

    /// Sends, and says how that ended, with what keeps a destination from being tried at all.
    fileprivate func send(
        to destination: String?, _ send: (Dispatcher) async throws(OutboxError) -> DispatchCompletion
    ) async throws(ControlRefusal) -> DispatchOutcome {
        let dispatcher = try await openDispatcher(for: destination)
        let failure = dispatches.failure(ofPending: destination)
        // One that is named is the only one.
        if destination != nil, let failure { return DispatchOutcome(failure) }
        do throws(OutboxError) {
            let completion = try await send(dispatcher)
            return DispatchOutcome(failure.map { completion.joined(with: $0) } ?? completion)
        } catch {
            throw ControlRefusal(error)
        }
    }

    fileprivate func setPaused(
        _ isPaused: Bool, _ destination: String?, for peer: PeerCredentials
    ) async throws(ControlRefusal) -> QueueChanged {
        let dispatcher = try await openDispatcher(for: destination)
        do throws(OutboxError) { try await dispatcher.setPaused(isPaused, destination) } catch { throw ControlRefusal(error) }
        logger.notice("sending to \(destination ?? "all") is \(isPaused ? "paused" : "resumed") (user \(peer.userID))")
        return QueueChanged(count: 1)
    }
}

extension TrackRequest: TrackerVerb {
    /// Takes an application's own event, with the position.
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try tracker.openDispatcher()
        if let reason = await tracker.source.withholding { throw ControlRefusal(withholding: reason) }
        let position = await tracker.manager.rawPosition
        let call = TrackCall(name: event, values: values, time: tracker.clock.now ?? position?.time, position: position)
        let others: [(name: String, reason: String)]
        do throws(OutboxError) {
            try await dispatcher.accept([.track(call)])
            others = try await dispatcher.withoutWord(for: .track(call))
        } catch {
            throw ControlRefusal(error)
        }
        var answer = Answer()
        answer.id = call.id
        answer.excluded = others.map(\.name)
        answer.reasons = others.map(\.reason)
        return answer
    }
}

extension DispatchNowRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        try await tracker.send(to: destination) { dispatcher throws(OutboxError) in try await dispatcher.dispatch(destination) }
    }
}

extension DrainDispatchRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        try await tracker.send(to: destination) { dispatcher throws(OutboxError) in
            try await dispatcher.drain(destination, budget: .seconds(budgetSeconds))
        }
    }
}

extension DispatchStatusRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        _ = try await tracker.openDispatcher(for: destination)
        do throws(OutboxError) {
            return Answer(destinations: try await tracker.dispatches.reports().filter { destination == nil || $0.name == destination })
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension PauseDispatchRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        try await tracker.setPaused(true, destination, for: caller.peer)
    }
}

extension ResumeDispatchRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        try await tracker.setPaused(false, destination, for: caller.peer)
    }
}

extension ListDeadLettersRequest: TrackerVerb {
    /// So many dead letters are in one answer.
    private static let lettersShown = 500

    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try await tracker.openDispatcher(for: destination)
        do throws(OutboxError) {
            let letters = try await dispatcher.outbox.deadLetters(
                of: destination, after: Int64(clamping: after ?? 0), limit: ListDeadLettersRequest.lettersShown)
            return Answer(letters: letters.map(DeadLetterEntry.init))
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension RetryDeadLettersRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try await tracker.openDispatcher(for: destination)
        do throws(OutboxError) {
            return Answer(count: try await dispatcher.retryDeadLetters(number: number.map { Int64(clamping: $0) }, of: destination))
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension DropDeadLettersRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try await tracker.openDispatcher(for: destination)
        let count: Int
        do throws(OutboxError) {
            count = try await dispatcher.outbox.dropDeadLetters(number: number.map { Int64(clamping: $0) }, of: destination)
        } catch {
            throw ControlRefusal(error)
        }
        tracker.logger.notice("\(counted(count, "dead letter")) dropped (user \(caller.peer.userID))")
        return Answer(count: count)
    }
}
