import Waypost
import WaypostDispatch
import WaypostSystem

extension Dispatcher {
    /// Sends the positions and fence events of an application's log, from an outbox of its own.
    ///
    /// ```swift
    /// let log = try await TrackLog(manager, folder: "tracks")
    /// let dispatcher = try await Dispatcher(log, folder: "outbox", device: "van-7")
    /// let server = try HTTPDestination(HTTPDestination.Settings(url: "https://fleet.example/in"))
    /// try await dispatcher.attach(server, DestinationSettings(name: "fleet", every: .seconds(60)))
    /// try await dispatcher.send("delivered", ["parcel": .string("A 17")], at: position)
    /// ```
    /// Positions are stored once, in the log; the outbox has the events, and how far each destination is. Both survive crashes and power cuts,
    /// and a damaged or removed outbox is made anew from the log. Positions that were logged before the first destination was attached are
    /// not sent.
    /// - Parameters:
    ///   - log: the log, for one dispatcher at a time: until ``Dispatcher/stop()``, or until that one is gone.
    ///   - folder: the folder of the outbox, for one dispatcher at a time, too; it is created if it is missing.
    ///   - device: the permanent name of this device; nil for the name of this host.
    ///   - limits: how much the outbox stores.
    ///   - notify: receives notices for people, on any thread.
    /// - Errors: those of `Outbox`; `inUse` when another dispatcher has the log or the outbox.
    public init(
        _ log: TrackLog, folder: String, device: String? = nil, limits: OutboxLimits = OutboxLimits(),
        notify: @escaping @Sendable (DispatchNotice) -> Void = { _ in }
    ) async throws(OutboxError) {
        if log.hasDispatcher { throw .inUse(path: log.positions.folder.path, holder: SystemProcess.processID) }
        let path = folder + "/outbox.sqlite"
        do throws(SystemError) { try Syscalls.createFolders(folder) } catch { throw .cannotOpen(path: path, reason: error.reason) }
        let clock = log.clock
        let supply = log.positions
        let outbox = try Outbox(
            path: path, limits: limits, clock: clock, marksPath: supply.folder.destinationsPath,
            logHasJournals: (try? supply.folder.journals().isEmpty) == false)  // Destinations report a log that cannot be read.
        self.init(outbox: outbox, supply: supply, device: device ?? SystemProcess.hostName, clock: clock, notify: notify)
        let logged = LoggedEvents(of: supply)
        let feeder = EventFeeder { _ in
        } accept: { [weak self] (entries, number) async throws(OutboxError) in
            try await self?.accept(entries, loggedThrough: number)
        } offerLogged: { [weak self] () async throws(OutboxError) in
            guard let self else { return nil }
            let unread = try await logged.offer(to: self.outbox)
            noteWaiting()
            return unread
        }
        let isOver: @Sendable () -> Bool = { [weak self] in self?.isStopped ?? true }
        log.use(TrackLog.Sender(noteLogged: { [weak self] in self?.noteWaiting() }, isOver: isOver, feeder: feeder))
        // Events of earlier runs, before a new destination is attached, which begins after them.
        await feeder.catchUp()
    }

    /// Sends an application's own event to every destination; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - name: the application's name for it.
    ///   - values: what the application adds.
    ///   - position: where and when it happened; nil when that is not known.
    /// - Errors: `full`, `cannotAccess`, `locked`, `gone`: it was not accepted; `tooLong`, `tooDeep`.
    public func send(_ name: String, _ values: [String: JSONValue] = [:], at position: Position? = nil) async throws(OutboxError) {
        try await accept([.track(TrackCall(name: name, values: values, time: position?.time ?? clock.confirmedTime(), position: position))])
    }
}
