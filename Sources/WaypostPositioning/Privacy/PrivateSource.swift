import Waypost

/// A source whose events pass the privacy gate before anybody sees them.
///
/// It is the one place where positions are withheld: the manager, and through it the log, the control socket and everything else, only ever
/// have what came through here. While positions are withheld the source counts as lost (``LossReason/withheld(_:)``, told once), and reports
/// without fix and views of the sky are withheld, too.
/// - Concurrency: events and changes of private mode go through one at a time; ``setPrivate(_:)`` returns when the loss has been told, or at
///   once for whom something is told just then: the loss comes behind that.
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
    /// As of the source behind the gate.
    public var sharing: SourceSharing { base.sharing }
    /// As of the source behind the gate.
    public var tellsLosses: Bool { base.tellsLosses }
    /// The switches of the source behind the gate.
    public var playbackControls: [PlaybackControl] { base.playbackControls }

    /// Delivers what may be told.
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

    /// Why positions are withheld now, nil while they are not.
    public var withholding: PrivacyGate.Reason? { get async { await door.gate.reason } }

    /// Switches private mode; when it returns no position from before is on its way any more.
    public func setPrivate(_ isOn: Bool) async { await door.setPrivate(isOn) }
}

/// Lets events through the gate, one at a time.
private actor PrivacyDoor {
    private(set) var gate: PrivacyGate
    private var output: PositionSourceOutput?
    /// Whether listeners were told that positions are withheld.
    private var isWithheld = false
    private let turn = Turnstile()
    /// What came from those who were told something just then.
    private var afterwards: [PositionSourceEvent] = []
    /// Whether private mode was switched on and that is not told yet.
    private var owesLoss = false

    init(gate: PrivacyGate) {
        self.gate = gate
    }

    func open(to output: @escaping PositionSourceOutput) {
        self.output = output
        isWithheld = false
    }

    func close() async {
        guard await turn.enter() else { return }
        output = nil
        turn.leave()
    }

    func pass(_ event: PositionSourceEvent) async {
        guard await turn.enter() else {
            // From somebody who is told something just now: it comes behind that.
            afterwards.append(event)
            return
        }
        await letThrough(event)
        await leave()
    }

    func setPrivate(_ isOn: Bool) async {
        gate.isPrivate = isOn
        owesLoss = isOn
        if await turn.enter() { await leave() }
    }

    /// Tells what came meanwhile from those who were told something, and lets the next one in.
    private func leave() async {
        while owesLoss || !afterwards.isEmpty {
            if owesLoss {
                owesLoss = false
                await withhold(.privateMode)
            } else {
                await letThrough(afterwards.removeFirst())
            }
        }
        turn.leave()
    }

    private func letThrough(_ event: PositionSourceEvent) async {
        switch event {
        case .position(let position):
            switch gate.process(position) {
            case .pass: await deliver(position)
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
