import Waypost

/// A source whose events pass the privacy gate before anything else sees them.
///
/// It is the one place where positions are withheld: the manager, and through it the log, the control socket and everything else, only get
/// what has passed here. While positions are withheld the source counts as lost (``LossReason/withheld(_:)``, reported once), and reports
/// without fix and views of the sky are withheld, too.
/// - Concurrency: events and changes of private mode go through one at a time; ``setPrivate(_:)`` returns when the loss has been delivered, or
///   at once for a caller that is receiving an event: the loss follows after that.
public final class PrivateSource: PositionSource {
    private let base: any PositionSource
    private let door: PrivacyDoor

    /// A source behind a gate.
    public init(_ base: any PositionSource, gate: PrivacyGate) {
        self.base = base
        door = PrivacyDoor(gate: gate)
    }

    /// The name of the source behind the gate.
    public var name: String { base.name }
    /// The names of the source behind the gate.
    public var originNames: [String] { base.originNames }
    /// The sharing of the source behind the gate.
    public var sharing: SourceSharing { base.sharing }
    /// The setting of the source behind the gate.
    public var tellsLosses: Bool { base.tellsLosses }
    /// The controls of the source behind the gate.
    public var playbackControls: [PlaybackControl] { base.playbackControls }

    /// Delivers the events that may be shown.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        await door.open(to: output)
        do throws(PositionSourceError) {
            try await base.run { [door] event in await door.pass(event) }
        } catch {
            await door.close()
            throw error
        }
        await door.close()
    }

    /// Whether private mode is on.
    public var isPrivate: Bool { get async { await door.gate.isPrivate } }

    /// Why positions are withheld at the moment; nil while they are not.
    public var withholding: PrivacyGate.Reason? { get async { await door.gate.reason } }

    /// Whether a place on a road must be withheld, although the fix from which it was made was not.
    public func hides(_ match: MatchedPosition) async -> Bool { await door.gate.hides(derived: match.position) }

    /// Switches private mode; when it returns, no earlier position is still on its way.
    public func setPrivate(_ isOn: Bool) async { await door.setPrivate(isOn) }
}

/// Lets events through the gate, one at a time.
private actor PrivacyDoor {
    private(set) var gate: PrivacyGate
    private var output: PositionSourceOutput?
    /// Whether the loss because of withheld positions was reported.
    private var isWithheld = false
    private let turn = Turnstile()
    /// Events that came from consumers during a delivery.
    private var afterwards: [PositionSourceEvent] = []
    /// Whether private mode was switched, and this was not reported yet.
    private var owesNews = false
    /// Why the source behind the gate has no position, as far as it has said.
    private var loss: LossReason?

    init(gate: PrivacyGate) {
        self.gate = gate
    }

    func open(to output: @escaping PositionSourceOutput) {
        self.output = output
        (isWithheld, loss) = (false, nil)
    }

    func close() async {
        guard await turn.enter() else { return }
        output = nil
        turn.leave()
    }

    func pass(_ event: PositionSourceEvent) async {
        guard await turn.enter() else {
            // From a caller that is receiving an event right now: it is delivered after that.
            afterwards.append(event)
            return
        }
        await letThrough(event)
        await leave()
    }

    func setPrivate(_ isOn: Bool) async {
        gate.isPrivate = isOn
        owesNews = true
        if await turn.enter() { await leave() }
    }

    /// Delivers the events that came from consumers during a delivery, then lets the next task in.
    private func leave() async {
        while owesNews || !afterwards.isEmpty {
            if owesNews {
                owesNews = false
                await tellSwitch()
            } else {
                await letThrough(afterwards.removeFirst())
            }
        }
        turn.leave()
    }

    /// Private mode is on, or off: then the next position may be far away, and until it comes nobody must take it for on.
    private func tellSwitch() async {
        if gate.reason == .zone { isWithheld = false }
        if let reason = gate.reason { return await withhold(reason) }
        guard isWithheld else { return }
        isWithheld = false
        await deliver(.status(.shownAgain(loss)))
    }

    private func letThrough(_ event: PositionSourceEvent) async {
        switch event {
        case .position, .noFix, .sky: loss = nil
        case .lost(let reason), .status(.stillLost(let reason)): loss = reason
        case .status, .finished: break
        }
        switch event {
        case .position(let position):
            switch gate.process(position) {
            case .pass: await deliver(position)
            case .passBeyondZone:
                await withhold(.zone)
                await deliver(position)
            case .replace(let coarse): await deliver(coarse)
            case .withhold(let reason): await withhold(reason)
            }
        case .noFix, .sky:
            if gate.reason == nil { await deliver(event) }
        case .lost, .status, .finished:
            await deliver(event)
        }
    }

    private func deliver(_ position: Position) async {
        isWithheld = false
        await deliver(.position(position))
    }

    private func withhold(_ reason: PrivacyGate.Reason) async {
        guard !isWithheld else { return }
        isWithheld = true
        await deliver(.lost(.withheld(reason)))
    }

    private func deliver(_ event: PositionSourceEvent) async {
        if let output { await turn.calling { await output(event) } }
    }
}
