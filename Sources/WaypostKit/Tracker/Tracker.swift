import Waypost
import WaypostControl
import WaypostSystem

/// The tracker that runs on this device: a client of its control socket.
///
/// ```swift
/// let tracker = Tracker()
/// for try await position in tracker.positions() {
///     print(position.coordinate)
/// }
/// ```
/// It keeps no connection itself. Each loop over ``updates(_:sky:roads:)``, ``positions(_:)`` or ``events`` opens one for as long as it runs, each
/// hold until it is released, and each request until its answer. The tracker accepts 64 connections.
/// - Errors: `ControlError`, whose description is a sentence for people.
/// - Concurrency: a value; use it from anywhere. A cancelled task stops waiting at once.
public struct Tracker: Sendable {
    /// How long a client waits for the greeting, and for an answer unless stated otherwise: five seconds.
    public static let usualPatience = Duration.seconds(5)
    /// How long a client waits while the tracker checks and stores fences: two minutes.
    public static let fencePatience = Duration.seconds(120)

    private let namedSocket: String?
    private let identity: ProcessIdentity

    /// The tracker that the command `waypost` would find.
    ///
    /// - Parameter socket: its control socket. If nil, `$WAYPOST_SOCKET`, else the socket of the user's own tracker if it is running, else
    ///   `/run/waypost/waypost.sock` of the service; this is decided anew for each connection.
    public init(socket: String? = nil) {
        namedSocket = socket
        identity = .current()
    }

    /// The control socket that a connection would use now.
    public var socket: String { DefaultPaths.clientSocket(option: namedSocket, of: identity) }

    /// Connects.
    ///
    /// - Parameter limit: how long to wait; never longer than usual.
    func connect(within limit: Duration? = nil) async throws(ControlError) -> ControlLink {
        try await ControlLink.connect(to: socket, within: min(limit ?? Tracker.usualPatience, Tracker.usualPatience))
    }

    /// Sends any request of the control socket on a connection of its own, and waits for the answer.
    ///
    /// - Parameters:
    ///   - verb: the request.
    ///   - limit: how long all of it may take; nil waits for the answer for ever. A tracker that does not even greet within
    ///     ``usualPatience`` is not waited for.
    /// - Errors: `ControlError.notRunning(path:)` when there is no tracker; `ControlError.refused(code:message:)` and
    ///   `ControlError.notAuthorised(message:)` with the tracker's words; `ControlError.timedOut`, `ControlError.cancelled`.
    public func ask<Verb: ControlVerb>(
        _ verb: Verb, within limit: Duration? = Tracker.usualPatience
    ) async throws(ControlError) -> Verb.Answer {
        let start = ContinuousClock.now
        let link = try await connect(within: limit)
        defer { link.close() }
        return try await link.ask(verb, within: limit.map { $0 - (.now - start) }).answer
    }

    // MARK: - What happens

    /// Positions, losses and events as they come, and the state of the connection.
    ///
    /// The loop continues when the tracker is stopped, killed or restarted; see ``TrackerFeed``.
    /// - Parameters:
    ///   - options: which positions; the tracker follows the device only as closely as its clients' options demand.
    ///   - sky: whether to include the satellites in view.
    ///   - roads: whether to include the places on roads (``TrackerUpdate/matched(_:)``), with options that take every position; the tracker
    ///     matches them for as long, if it has a road file.
    public func updates(
        _ options: PositionSelection.Options = .init(), sky: Bool = false, roads: Bool = false
    ) -> TrackerFeed<TrackerUpdate> {
        TrackerFeed(self, WatchRequest(sky: sky, roads: roads, selection: options)) { $0 }
    }

    /// Positions as they come, without losses and without the last known position.
    ///
    /// - Parameter options: which positions; the tracker follows the device only as closely as its clients' options demand.
    public func positions(_ options: PositionSelection.Options = .init()) -> TrackerFeed<Position> {
        TrackerFeed(self, WatchRequest(selection: options)) { update in
            if case .position(let watched) = update, !watched.isCached { watched.position } else { nil }
        }
    }

    /// Events as they happen, such as fences entered and left, each once; they do not keep the receiver on.
    public var events: TrackerFeed<TrackerEvent> {
        TrackerFeed(self, WatchRequest(positions: false)) { update in
            if case .event(let event) = update { event } else { nil }
        }
    }

    // MARK: - Requests

    /// What the tracker is doing, and whether all is well.
    public func status() async throws(ControlError) -> StatusReport { try await ask(StatusRequest()) }

    /// What the tracker can do on this device.
    public func capabilities() async throws(ControlError) -> CapabilitiesRequest.Answer { try await ask(CapabilitiesRequest()) }

    /// Sends an event of the application, with the position, to every destination; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - name: the event's name.
    ///   - values: what is sent with it.
    /// - Returns: the event's id, and the destinations whose format cannot express it.
    @discardableResult
    public func track(_ name: String, _ values: [String: JSONValue] = [:]) async throws(ControlError) -> TrackRequest.Answer {
        try await ask(TrackRequest(event: name, values: values))
    }

    /// Sends all queued records, and waits until that is done.
    ///
    /// - Parameters:
    ///   - destination: the one destination to send to; nil for all.
    ///   - limit: how long to wait, as for ``ask(_:within:)``; nil waits for the answer for ever. After that the tracker continues to send.
    /// - Returns: `.good`, `.noData` (the queue is empty, or there is no network) or `.error`, with the reason for each destination.
    @discardableResult
    public func dispatchNow(to destination: String? = nil, within limit: Duration? = nil) async throws(ControlError) -> DispatchOutcome {
        try await ask(DispatchNowRequest(destination: destination), within: limit)
    }

    /// The state of each destination and its queue.
    public func dispatchStatus() async throws(ControlError) -> DispatchStatusRequest.Answer {
        try await ask(DispatchStatusRequest(), within: .seconds(10))
    }

    /// Keeps the receiver on, for every fix, until the hold is released or dropped.
    ///
    /// After a restart of the tracker the hold is renewed.
    /// - Parameter reason: the reason, 1 to 200 characters, which `waypost status` shows.
    /// - Errors: those of ``ask(_:within:)``, if the first attempt fails.
    public func hold(reason: String) async throws(ControlError) -> TrackerHold {
        let link = try await TrackerHold.begin(reason, with: self)
        return TrackerHold(reason, with: self, on: link)
    }
}
