import Waypost
import WaypostControl
import WaypostSystem

/// Updates of the tracker, from the start of a loop to its end.
///
/// ```swift
/// for try await update in tracker.updates() {
///     switch update {
///     case .position(let watched): print(watched.position.coordinate)
///     case .lost(let loss): print("lost:", loss.detail)
///     case .disconnected(let error): print(error)
///     default: break
///     }
/// }
/// ```
/// - A loop outlives the tracker. If the tracker is not running, ends, or does not answer a new connection, the loop connects again after
///   0.1 s, then after twice as long each time, up to 5 s; after a connection of a second or more, this begins again. It throws only where
///   waiting does not help: the user is not authorised (`ControlError.notAuthorised(message:)`), or the program that listens is not a tracker
///   or uses another protocol (`ControlError.protocolMismatch(found:)`, `ControlError.unreadable(_:)`).
/// - After a reconnection no update is repeated or invented: an event that a restarted tracker repeats is recognised by its id, and a position
///   by its time and place. Whatever happens while the tracker is down or there is no connection is missing, except for fences: the next
///   tracker reports crossings that it missed as late events, and the loop gets those of the last twenty events that it has not had. So does
///   a loop that begins while there is no tracker, from the next one. What happened before the loop began, or before its user might know of
///   fences, is never news.
/// - Each loop has its own connection and closes it when it ends: by `break`, by an error, when its task is cancelled (the loop ends as at the
///   end of a sequence) or when its iterator is dropped. Two loops over one feed get the same updates.
/// - Buffers are bounded: some hundred updates wait for a slow loop, here and in the tracker. Then the oldest are dropped and counted by
///   ``TrackerUpdate/missed(_:)``.
public struct TrackerFeed<Element: Sendable>: AsyncSequence, Sendable {
    /// The error that ends a loop.
    public typealias Failure = ControlError

    private let tracker: Tracker
    private let request: WatchRequest
    private let choose: @Sendable (TrackerUpdate) -> Element?

    /// The updates of a watch for which `choose` returns an element.
    init(_ tracker: Tracker, _ request: WatchRequest, choose: @escaping @Sendable (TrackerUpdate) -> Element?) {
        self.tracker = tracker
        self.request = request
        self.choose = choose
    }

    /// An independent loop; it connects when the first element is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(session: WatchSession(tracker, request), choose: choose) }

    /// Returns one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var session: WatchSession
        fileprivate let choose: @Sendable (TrackerUpdate) -> Element?

        /// Waits for the next element; nil if the task was cancelled.
        ///
        /// - Parameter actor: the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ControlError) -> Element? {
            while let update = try await session.next(isolation: actor) {
                if let element = choose(update) { return element }
            }
            return nil
        }
    }
}

/// One loop: its connection, and the way to the next one.
struct WatchSession {
    private enum State {
        case apart
        /// Connected, with the lines that came before the first answer.
        case connected(ControlLink, ArraySlice<[UInt8]>)
        case ended
    }

    private let tracker: Tracker
    private let request: WatchRequest
    private var state = State.apart
    private var memory = WatchMemory()
    private var isFirst = true
    /// Whether the loop began while there was no tracker.
    private var hasWaited = false
    /// Whether the loop has had every event since some moment, or knows of it.
    private var knowsEvents = false
    /// Whether the user may know of fences since a moment ago.
    private var mustLearn = false
    /// Events that happened while there was no connection.
    private var missed: ArraySlice<TrackerEvent> = []
    private var reconnection = Reconnection()

    init(_ tracker: Tracker, _ request: WatchRequest) {
        self.tracker = tracker
        self.request = request
    }

    /// Waits for the next update; nil if the task was cancelled, and from then on.
    mutating func next(isolation actor: isolated (any Actor)?) async throws(ControlError) -> TrackerUpdate? {
        while !Task.isCancelled {
            do throws(ControlError) {
                switch state {
                case .ended: return nil
                case .apart: return try await connect(isolation: actor)
                case .connected(let link, let lines):
                    if mustLearn {
                        try await learnEvents(link, lines, isolation: actor)
                        continue
                    }
                    if let event = missed.popFirst() { return .event(event) }
                    if let update = try await take(link, lines, isolation: actor) { return update }
                }
            } catch {
                let isConnected = if case .connected = state { true } else { false }
                state = error.isPassing ? .apart : .ended
                if error == .cancelled { break }
                guard error.isPassing else { throw error }
                if isFirst, case .notRunning = error { hasWaited = true }
                let isNews = reconnection.noteFailure(error, at: MonotonicClock.milliseconds)
                if isNews || isConnected { return .disconnected(error) }
            }
        }
        state = .ended
        return nil
    }

    private mutating func connect(isolation actor: isolated (any Actor)?) async throws(ControlError) -> TrackerUpdate {
        do { try await Task.sleep(for: reconnection.pause) } catch { throw .cancelled }
        let link = try await tracker.connect()
        link.send(request)
        // Requests are processed in order: once this is answered, the watch is active.
        let (status, lines) = try await link.ask(StatusRequest(), within: Tracker.usualPatience)
        memory.begin()
        let events = status.fences?.events ?? []
        // A tracker that was awaited has begun after the loop.
        let firstCount = isFirst && hasWaited ? status.fences?.newCount ?? 0 : 0
        missed = memory.missed(of: events, newest: knowsEvents ? events.count : firstCount)[...]
        (isFirst, mustLearn, knowsEvents) = (false, false, status.isWhole)
        reconnection.noteConnection(at: MonotonicClock.milliseconds)
        state = .connected(link, lines[...])
        return .connected(status)
    }

    /// Learns of the events that happened before the user could know of them: they are no news, and will not be after a reconnection.
    private mutating func learnEvents(
        _ link: ControlLink, _ lines: ArraySlice<[UInt8]>, isolation actor: isolated (any Actor)?
    ) async throws(ControlError) {
        mustLearn = false
        let (status, more) = try await link.ask(StatusRequest(), within: Tracker.usualPatience)
        _ = memory.missed(of: status.fences?.events ?? [], newest: 0)
        knowsEvents = status.isWhole
        state = .connected(link, lines + more)
    }

    private mutating func take(
        _ link: ControlLink, _ lines: ArraySlice<[UInt8]>, isolation actor: isolated (any Actor)?
    ) async throws(ControlError) -> TrackerUpdate? {
        var lines = lines
        let line: [UInt8]
        if let first = lines.popFirst() {
            line = first
            state = .connected(link, lines)
        } else {
            line = try await link.nextLine()
        }
        let read: WatchLine
        do { read = try WatchLine(line: line) } catch { throw .unreadable(error) }
        if case .authorisation(let authorisation) = read {
            if authorisation.level == .full { mustLearn = !knowsEvents } else { knowsEvents = false }
        }
        return memory.update(read)
    }
}

extension StatusReport {
    /// Whether it says everything, and not only what somebody may know who may not know the position.
    fileprivate var isWhole: Bool { problems != nil }
}
