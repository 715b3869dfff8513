import Waypost

/// Reports a loss once: a different reason that is learned later is reported as a change, and the next fix ends the loss.
///
/// - Concurrency: a value.
struct LossReporter: Sendable {
    private var loss: LossReason?
    /// Whether the other side has answered or sent something since; then silence is news again.
    private var isAwaited = false
    private var warned: Set<String> = []

    /// There are no positions until further notice, for this reason.
    mutating func lose(_ reason: LossReason) -> [PositionSourceEvent] {
        guard let loss else {
            (self.loss, isAwaited) = (reason, false)
            warned = []
            return [.lost(reason)]
        }
        // Silence after a worse problem is no news, and before a connection it does not count as silence.
        let isNews = loss != reason && (reason != .silent || loss.isUnusable) && (reason != .unreadable || !loss.isUnusable)
        guard isNews || isAwaited else { return [] }
        (self.loss, isAwaited) = (reason, false)
        return [.status(.stillLost(reason))]
    }

    /// The other side answers again: the loss is now only silence, unless the data it sends is unusable.
    ///
    /// So far it cannot have sent anything; silence that lasts is reported once more.
    mutating func connect() -> [PositionSourceEvent] {
        guard let loss, loss != .silent, !loss.isUnusable else { return [] }
        (self.loss, isAwaited) = (.silent, true)
        return [.status(.stillLost(.silent))]
    }

    /// A warning for people, once until the next loss; the number of different warnings is limited.
    mutating func warn(_ text: String) -> [PositionSourceEvent] {
        guard warned.count < LossReporter.mostWarnings, warned.insert(text).inserted else { return [] }
        return [.status(.warning(text))]
    }

    /// A peer that always sends different texts must not produce warnings for ever.
    private static let mostWarnings = 50

    /// Usable, new data has arrived: if it stops again, that is reported again.
    mutating func noteReport() {
        if loss != nil { (loss, isAwaited) = (.silent, true) }
    }

    /// A fix has come.
    mutating func endLoss() { (loss, isAwaited) = (nil, false) }
}

extension LossReason {
    /// A receiver that has stopped working but still sends.
    static func repeatedFix(of time: UTCTime) -> LossReason {
        .unusable(LossDetail("the same fix comes again and again, that of \(ScreenFormat().moment(time)) UTC", obstacle: .repeatedFix))
    }

    /// A line at the wrong speed, or a server for something else.
    static let unreadable = LossReason.unusable(LossDetail(PositionSearch.unreadableWords, obstacle: .unreadable))

    fileprivate var isUnusable: Bool { if case .unusable = self { true } else { false } }
}
