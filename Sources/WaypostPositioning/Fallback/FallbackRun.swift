import Waypost
import WaypostSystem

/// One run of a ``FallbackSource``: carries out the rule's decisions, and delivers the events of the active member.
struct FallbackRun {
    /// One run of one member.
    struct ID: Hashable, Sendable {
        var member: Int
        var number: Int
    }

    /// The error of the first member that failed, if all have failed.
    var failure: PositionSourceError? { failures.count == sources.count ? failures.first : nil }

    private let sources: [any PositionSource]
    private let mailbox: FallbackMailbox
    private let output: PositionSourceOutput

    private var rule: FallbackRule
    private var look = FallbackLook(at: MonotonicClock.milliseconds)
    private var steppedAt = MonotonicClock.milliseconds
    private var gate = FallbackGate()
    private var tasks: [Int: (id: ID, task: Task<Void, Never>)] = [:]
    /// Runs that were asked to end and may not have ended yet.
    private var ending: [ID: Task<Void, Never>] = [:]
    private var runCount = 0
    private var peers: [String?]
    private var failures: [PositionSourceError] = []
    /// Members whose other side has answered again, and that have not delivered anything since.
    private var answering: Set<Int> = []
    private var isLost = false
    private var reported: [SourceMember] = []

    /// The member in use.
    var active: Int { rule.active }

    init(
        members: [any PositionSource], times: FallbackRule.Times, startingWith first: Int, mailbox: FallbackMailbox,
        output: @escaping PositionSourceOutput
    ) {
        sources = members
        self.mailbox = mailbox
        self.output = output
        rule = FallbackRule(sharing: members.map(\.sharing), times: times, startingWith: first)
        peers = members.map { _ in nil }
    }

    var hasEnded: Bool { rule.hasEnded }

    /// When ``handle(_:)`` must be called even if nothing has come.
    var deadline: Int64? { look.end ?? rule.deadline(after: steppedAt) }

    mutating func begin() async { await tick() }

    /// Ends every member and waits for it.
    mutating func stopAll() async {
        for index in Array(tasks.keys) { stop(index) }
        for task in ending.values { await task.value }
        ending = [:]
    }

    // MARK: Incoming events

    mutating func handle(_ letters: [FallbackMailbox.Letter]) async {
        for letter in letters {
            if Task.isCancelled { return }
            await handle(letter)
            mailbox.release(letter)
        }
        await tick()
    }

    private mutating func handle(_ letter: FallbackMailbox.Letter) async {
        let index = letter.sender.member
        guard tasks[index]?.id == letter.sender else {
            if case .returned = letter.content { ending[letter.sender] = nil }
            return
        }
        switch letter.content {
        case .event(let event): await handle(event, from: index)
        case .returned(let error):
            tasks[index] = nil
            if let error {
                failures.append(error)
                await output(.status(.warning("\(sources[index].name): \(error.reason)")))
            }
            peers[index] = nil
            if index == rule.active { gate.reset() }
            await step(.report(index, .ended))
        }
    }

    private mutating func handle(_ event: PositionSourceEvent, from index: Int) async {
        switch event {
        case .position(let position):
            answering.remove(index)
            await step(.report(index, .fix(position.time)))
            guard index == rule.active else { return }
            switch gate.admit(position.time, from: index, at: MonotonicClock.milliseconds) {
            case .isDropped: return
            case .passes: break
            case .passesBehind(let milliseconds):
                let words = "its clock is \(milliseconds) ms behind that of the source before it"
                await output(.status(.warning("\(sources[index].name): \(words)")))
            }
            isLost = false
        case .noFix(let report):
            answering.remove(index)
            await step(.report(index, .noFix(report.time)))
        case .lost(let reason):
            switch reason {
            case .noFix, .silent, .unusable: break
            case .deviceGone, .disconnected, .ended, .replaced, .withheld: peers[index] = nil
            }
            answering.remove(index)
            await step(.report(index, .lost(reason)))
            guard index == rule.active, !isLost else { return }
            isLost = true
        case .status(.connected(let peer)):
            peers[index] = peer
            await reportMembers()
        case .status(.stillLost(let reason)):
            let isAnswer = reason == .silent && rule.state(of: index, at: MonotonicClock.milliseconds).loss?.isOfTheConnection == true
            if isAnswer { answering.insert(index) } else { answering.remove(index) }
            await step(.report(index, .lost(reason)))
        case .sky: break
        case .status(.warning):
            // The problems of a source that is not active are worth knowing, too.
            await output(event)
            return
        case .status(.switched), .status(.members), .status(.shownAgain): break
        // Its run returns now, and reports the end.
        case .finished: return
        }
        guard index == rule.active else { return }
        await output(event)
        await step(.report(index, .resumed))
    }

    // MARK: Decisions

    private mutating func tick() async {
        for index in sources.indices { rule.sharing[index] = sources[index].sharing }
        await step(.tick)
    }

    private mutating func step(_ input: FallbackRule.Input) async {
        var previous = rule.active
        let now = MonotonicClock.milliseconds
        let decides = look.isOver(at: now, deadline: rule.deadline(after: steppedAt))
        steppedAt = now
        for decision in rule.step(input, at: now, decides: decides) {
            switch decision {
            case .stop(let index): stop(index)
            case .start(let index): start(index)
            case .use(let index, let reason):
                var change = SourceSwitch(from: sources[previous].name, to: sources[index].name, reason: reason)
                change.rhythm = rule.rhythm(of: index)
                await output(.status(.switched(change)))
                previous = index
            }
        }
        await reportMembers()
    }

    private mutating func start(_ index: Int) {
        runCount += 1
        let id = ID(member: index, number: runCount)
        let (source, mailbox, before) = (sources[index], mailbox, Array(ending.values))
        let task = Task {
            // A device is free, and a source can run again, when the previous runs have returned.
            for task in before { await task.value }
            do throws(PositionSourceError) {
                if !Task.isCancelled { try await source.run { event in await mailbox.send(event, from: id) } }
                mailbox.post(returned: nil, from: id)
            } catch {
                mailbox.post(returned: error, from: id)
            }
        }
        tasks[index] = (id, task)
    }

    private mutating func stop(_ index: Int) {
        guard let (id, task) = tasks.removeValue(forKey: index) else { return }
        peers[index] = nil
        task.cancel()
        ending[id] = task
    }

    private mutating func reportMembers() async {
        // What has not been read yet is no silence.
        if look.end != nil { return }
        let members = sources.indices.map { index in
            let state = rule.state(of: index, at: MonotonicClock.milliseconds)
            let isAnswer = state.loss == .silent && answering.contains(index)
            return SourceMember(
                name: sources[index].name, state: isAnswer ? .starting : state, isActive: index == rule.active, peer: peers[index])
        }
        guard members != reported else { return }
        reported = members
        await output(.status(.members(members)))
    }
}

extension PositionSourceError {
    fileprivate var reason: String {
        switch self {
        case .cannotOpen(_, let reason): "cannot be opened: \(reason)"
        case .cannotRead(_, let reason): "cannot be read: \(reason)"
        case .unusable(_, let reason): reason
        }
    }
}
