import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

// What is asked about sending.
extension TrackerCommands {
    /// So many dead letters are in one answer.
    private static let deadLettersShown = 500

    /// Takes an application's own event, with the position.
    func track(_ name: String, _ values: [String: JSONValue]) async throws(ControlRefusal) -> [UInt8] {
        let dispatcher = try openDispatcher()
        if let reason = await source.withholding { throw ControlRefusal(withholding: reason) }
        let position = await manager.rawPosition
        let call = TrackCall(name: name, values: values, time: clock.now ?? position?.time, position: position)
        do throws(OutboxError) { try await dispatcher.accept([.track(call)]) } catch { throw ControlRefusal(error) }
        let others = dispatcher.withoutWord(for: .track(call))
        return ControlProtocol.object("TRACKED") { json in
            json.member("id", call.id)
            guard !others.isEmpty else { return }
            json.array("not_for") { json in
                for other in others { json.element(other.name) }
            }
            json.array("why") { json in
                for other in others { json.element(other.reason) }
            }
        }
    }

    func dispatch(_ command: ControlRequest.DispatchCommand, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        let dispatcher = try openDispatcher()
        let name = command.destination
        do throws(OutboxError) {
            // One that is not in the configuration any more is known all the same.
            if let name { _ = try await dispatcher.outbox.state(of: name) }
            switch command.action {
            case .now, .drain:
                let failure = dispatches.failure(ofPending: name)
                // One that is named is the only one.
                if name != nil, let failure { return TrackerCommands.dispatched(failure) }
                let completion =
                    command.action == .now
                    ? try await dispatcher.dispatch(name)
                    : try await dispatcher.drain(name, budget: .seconds(command.budgetSeconds))
                return TrackerCommands.dispatched(failure.map { completion.joined(with: $0) } ?? completion)
            case .status:
                let statuses = try await dispatches.statuses()
                return ControlProtocol.object("DISPATCH") { json in json.append(statuses.filter { name == nil || $0.state.name == name }) }
            case .pause, .resume:
                let isPaused = command.action == .pause
                try await dispatcher.setPaused(isPaused, name)
                logger.notice("sending to \(name ?? "all") is \(isPaused ? "paused" : "resumed") (user \(peer.userID))")
                return TrackerCommands.changedQueue(1)
            case .list:
                let letters = try await dispatcher.outbox.deadLetters(of: name, limit: TrackerCommands.deadLettersShown)
                return ControlProtocol.object("DEAD_LETTERS") { json in
                    json.array("dead_letters") { json in for letter in letters { json.append(letter) } }
                }
            case .retry:
                return TrackerCommands.changedQueue(try await dispatcher.retryDeadLetters(number: command.number.map(Int64.init), of: name))
            case .drop:
                let count = try await dispatcher.outbox.dropDeadLetters(number: command.number.map(Int64.init), of: name)
                logger.notice("\(counted(count, "dead letter")) dropped (user \(peer.userID))")
                return TrackerCommands.changedQueue(count)
            }
        } catch {
            throw ControlRefusal(error)
        }
    }

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

    private static func dispatched(_ completion: DispatchCompletion) -> [UInt8] {
        ControlProtocol.object("DISPATCHED") { json in
            json.member("completion", completion.word.rawValue)
            guard !completion.failures.isEmpty else { return }
            json.member("reason", completion.failures.map { "\($0.destination): \($0.reason)" }.joined(separator: "; "))
            json.array("failures") { json in
                for failure in completion.failures {
                    json.object { json in
                        json.member("destination", failure.destination)
                        json.member("reason", failure.reason)
                    }
                }
            }
        }
    }

    static func changedQueue(_ count: Int) -> [UInt8] {
        ControlProtocol.object("DISPATCH_CHANGED") { json in json.member("changed", count) }
    }
}

extension JSONWriter {
    /// How the destinations are.
    mutating func append(_ statuses: [DestinationStatus]) {
        array("destinations") { json in
            for status in statuses {
                json.object { json in
                    json.member("name", status.state.name)
                    json.member("state", status.word)
                    json.member("events", status.state.waitingEventCount)
                    json.member("positions", status.waitingPositionCount)
                    json.member("dead_letters", status.state.deadLetterCount)
                    json.member("sent", status.state.sentCount)
                    json.member("dropped", status.state.droppedCount)
                    json.member("late", status.state.lateCount)
                    json.member("on_demand", status.isOnDemand ? true : nil)
                    json.member("next_seconds", status.nextAttemptMilliseconds.map { Int($0 / 1_000) })
                    json.member("receipt_seconds_ago", status.lastReceiptMilliseconds.map { Int($0 / 1_000) })
                    json.member("reason", status.failure)
                }
            }
        }
    }

    fileprivate mutating func append(_ letter: DeadLetter) {
        object { json in
            json.member("number", Int(letter.number))
            json.member("destination", letter.destination)
            json.member("id", letter.record.id)
            json.member("kind", letter.record.kind)
            json.member("name", letter.record.name)
            json.member("lane", letter.record.lane.rawValue)
            json.member("seq", Int(clamping: letter.record.sequence))
            json.member("time", letter.record.time)
            json.member("reason", letter.reason)
            json.member("retrying", letter.isDue ? true : nil)
        }
    }
}

extension DestinationStatus {
    /// One word.
    fileprivate var word: String {
        if !isAttached { return "unconfigured" }
        if state.isPaused { return "paused" }
        if isSending { return "sending" }
        if failure != nil { return needsMending ? "failing" : "retrying" }
        return state.waitingEventCount > 0 || waitingPositionCount != 0 ? "waiting" : "idle"
    }

    /// What is wrong, for people; empty when nothing is.
    var problems: [String] {
        let letters = counted(state.deadLetterCount, "record")
        let refused = "destination \(state.name) has refused \(letters) for good: waypost dispatch list, then retry or drop"
        return [failing, state.deadLetterCount > 0 ? refused : nil].compactMap { $0 }
    }

    private var failing: String? {
        guard let failure else { return nil }
        if needsMending { return "destination \(state.name): \(failure)" }
        guard isStalled else { return nil }
        return "destination \(state.name) has taken nothing for \(spanText(seconds: (failingMilliseconds ?? 0) / 1_000)): \(failure)"
    }
}
