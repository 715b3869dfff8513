import Waypost

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
        if loss == reason || reason == .silent && !loss.isUnusable { return [] }
        self.loss = reason
        return [.status(.stillLost(reason))]
    }

    /// The other side answers again: what is left of a loss is silence, unless what it sends is of no use.
    mutating func connect() -> [PositionSourceEvent] {
        guard let loss, loss != .silent, !loss.isUnusable else { return [] }
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

    /// What comes can be read, and is new: if that ends again, it is reported again.
    mutating func noteReport() {
        if loss?.isUnusable == true { loss = .silent }
    }

    /// A fix has come.
    mutating func endLoss() { loss = nil }
}

extension LossReason {
    /// A receiver that has stopped, but still sends.
    static func repeatedFix(of time: UTCTime) -> LossReason {
        .unusable(LossDetail("the same fix comes again and again, that of \(ScreenFormat().moment(time)) UTC", obstacle: .repeatedFix))
    }

    /// A line at the wrong speed, or a server of something else.
    static let unreadable = LossReason.unusable(LossDetail("data comes, but no positions can be read from it", obstacle: .unreadable))

    fileprivate var isUnusable: Bool { if case .unusable = self { true } else { false } }
}
