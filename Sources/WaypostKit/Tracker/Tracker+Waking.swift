import Waypost
import WaypostControl
import WaypostSystem

// Being started by events, though not running.
extension Tracker {
    /// Whether the tracker's events have started this program.
    ///
    /// `WAYPOST_LAUNCH` is `location` then, and the events are on standard input.
    public static var isLaunchedByLocation: Bool { ProcessIdentity.current().environment["WAYPOST_LAUNCH"] == "location" }

    /// Registers a program of this user for events; it is on the disk when this returns.
    ///
    /// The user must be authorised with scope `always`, and somebody must start the program: `waypost agent`, or the package's
    /// `waypost-wake.path`. A registration of the same name is replaced and keeps its events.
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `-`, `_` and `.`, the first no `.`.
    ///   - kinds: what wakes the program, at least one.
    ///   - program: its whole path.
    /// - Errors: ``WakeRegistrationError`` for a program that must not be started; `ControlError`.
    public func register(_ name: String, on kinds: Set<WakeKind>, program: String) async throws {
        let wanted = WakeProgram(.program(program))
        if let obstacle = wanted.obstacle { throw WakeRegistrationError(program: program, reason: obstacle) }
        guard AccessPolicy.isKey(name) else {
            throw WakeRegistrationError(program: program, reason: "its registration needs a name of \(AccessPolicy.keyWords)")
        }
        let before = try? WakeProgram.load(name, in: ownPrograms)  // One that cannot be read cannot be started either.
        do throws(SystemError) { try wanted.save(name, in: ownPrograms) } catch {
            throw WakeRegistrationError(program: program, reason: "cannot be noted: \(error.description)")
        }
        var request = RegisterRequest()
        (request.registration, request.program) = (name, program)
        request.kinds = WakeKind.allCases.filter(kinds.contains)
        do throws(ControlError) { _ = try await ask(request) } catch {
            // The tracker's refusal is what matters: a file that nobody calls for does no harm.
            try? WakeProgram.restore(before, as: name, in: ownPrograms)  // See above.
            throw error
        }
    }

    /// Removes a registration of this user, with the events that wait for it.
    ///
    /// - Parameter name: the name of the registration.
    public func unregister(_ name: String) async throws(ControlError) {
        _ = try await ask(UnregisterRequest(registration: name))
        // What nobody calls for any more is never started; a file that stays does no harm.
        if AccessPolicy.isKey(name) { try? WakeProgram.remove(name, in: ownPrograms) }  // See above.
    }

    /// The registrations of this user, with how the last start went.
    public func registrations() async throws(ControlError) -> [RegistrationEntry] {
        try await ask(ListRegistrationsRequest()).registrations
    }

    /// The events of a registration: first those that wait, the newest last, then each as it comes.
    ///
    /// While the result lives the program is not started. Each event comes again after the next `attach` until it is acknowledged. What a program
    /// of the registration has that still runs is on its standard input, and comes here only when it has failed.
    /// - Parameter name: the name of the registration.
    /// - Errors: `ControlError.refused` while another program is attached.
    public func attach(_ name: String) async throws(ControlError) -> Attachment {
        let link = try await connect()
        let (_, lines) = try await link.ask(AttachRequest(registration: name), within: Tracker.usualPatience)
        return Attachment(name, with: self, link, lines)
    }

    private var ownPrograms: String { WakeProgram.folder(.own, socket: socket) }
}

/// A program that must not be started by events, and why.
public struct WakeRegistrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The program.
    public var program: String
    /// The problem, in words that follow its name.
    public var reason: String
    /// One line for people.
    public var description: String { "\(program): \(reason)" }
}

/// An event that wakes a program.
public struct WakeNews: Sendable, Hashable {
    /// Its name for ever; ``Attachment/acknowledge(_:)`` takes it.
    public var id: String
    /// What happened; nil for a kind of a later version.
    public var kind: WakeKind?
    /// Whether it is a rehearsal.
    public var isTest: Bool
    /// All members of the event.
    public var members: JSONValue
}

/// The events of a registration while a program is connected.
///
/// - Concurrency: one task at a time waits for events; acknowledge from anywhere.
public actor Attachment {
    /// The name of the registration.
    public nonisolated let name: String
    private let tracker: Tracker
    private let link: ControlLink
    private var waiting: ArraySlice<[UInt8]>

    init(_ name: String, with tracker: Tracker, _ link: ControlLink, _ lines: [[UInt8]]) {
        (self.name, self.tracker, self.link, waiting) = (name, tracker, link, lines[...])
    }

    /// Waits for the next event.
    ///
    /// - Parameter limit: how long to wait; nil waits for ever.
    /// - Errors: `ControlError.timedOut`; `ControlError.closed(byService:)` when the tracker has ended: attach again.
    public func next(within limit: Duration? = nil) async throws(ControlError) -> WakeNews {
        let deadline = limit.map { ContinuousClock.now + $0 }
        while true {
            let line: [UInt8]
            if let first = waiting.popFirst() { line = first } else { line = try await link.nextLine(within: deadline.map { $0 - .now }) }
            guard let wake = try? WakeLine(line: line) else { continue }  // Another line, for nobody here.
            guard let value = try? JSONParser().parse(wake.event.bytes) else { continue }  // It was just written from a value.
            return WakeNews(
                id: wake.id, kind: value["event"]?.string.flatMap(WakeKind.init(rawValue:)), isTest: value["test"]?.bool ?? false,
                members: value)
        }
    }

    /// Acknowledges an event, which is never told again.
    ///
    /// That is on the disk when this returns.
    /// - Parameter id: the event's id.
    public func acknowledge(_ id: String) async throws(ControlError) {
        _ = try await tracker.ask(AcknowledgeEventRequest(registration: name, id: id))
    }

    /// Detaches: what comes from now on starts the program.
    public func release() { link.close() }
}
