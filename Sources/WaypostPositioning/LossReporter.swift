/// Tells a loss once: another reason that is learned later is told as such, and the next fix ends it.
///
/// - Concurrency: a value.
struct LossReporter: Sendable {
    private var loss: LossReason?
    private var warned: Set<String> = []

    /// There are no positions until further notice, and why.
    mutating func lose(_ reason: LossReason) -> [PositionSourceEvent] {
        guard let loss else {
            self.loss = reason
            warned = []
            return [.lost(reason)]
        }
        // Silence after something worse says nothing new, and before a connection it is none.
        if loss == reason || reason == .silent { return [] }
        self.loss = reason
        return [.status(.stillLost(reason))]
    }

    /// The other side answers again: what is left of a loss is silence.
    mutating func connect() -> [PositionSourceEvent] {
        guard let loss, loss != .silent else { return [] }
        self.loss = .silent
        return [.status(.stillLost(.silent))]
    }

    /// Something that a person should know, once until the next loss; no more than so many different things.
    mutating func warn(_ text: String) -> [PositionSourceEvent] {
        guard warned.count < LossReporter.mostWarnings, warned.insert(text).inserted else { return [] }
        return [.status(.warning(text))]
    }

    /// A peer that always finds other words is not listened to for ever.
    private static let mostWarnings = 50

    /// A fix has come.
    mutating func endLoss() { loss = nil }
}
