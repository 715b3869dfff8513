/// Tells a loss once: what is learned about it later is a warning, and the next fix ends it.
///
/// - Concurrency: a value.
struct LossTeller: Sendable {
    private var loss: LossReason?
    private var warned: Set<String> = []

    /// There are no positions until further notice, and why.
    mutating func lose(_ reason: LossReason) -> [PositionSourceEvent] {
        if loss != nil { return warn(reason.words) }
        loss = reason
        warned = [reason.words]
        return [.lost(reason)]
    }

    /// Something that a person should know, once until the next loss; no more than so many different things.
    mutating func warn(_ text: String) -> [PositionSourceEvent] {
        guard warned.count < LossTeller.mostWarnings, warned.insert(text).inserted else { return [] }
        return [.status(.warning(text))]
    }

    /// A peer that always finds other words is not listened to for ever.
    private static let mostWarnings = 50

    /// A fix has come.
    mutating func endLoss() { loss = nil }
}

extension LossReason {
    /// What a source says of a loss that it has told already.
    fileprivate var words: String {
        switch self {
        case .noFix: "no fix"
        case .silent: "connected, but nothing comes from the receiver"
        case .disconnected(let detail), .deviceGone(let detail): detail
        case .ended: "ended"
        case .replaced: "replaced"
        case .withheld: "withheld"
        }
    }
}
