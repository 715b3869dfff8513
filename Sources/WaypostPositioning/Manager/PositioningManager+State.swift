import Waypost

// What a manager is asked for, what its source does, and what is known of the position.
extension PositioningManager {
    /// What is asked of the source, and whether the source could deliver it.
    enum Life {
        /// Not started, or stopped, perhaps after the source had ended by itself.
        case stopped(after: End?)
        /// Started, with the starter's own need beside those of listeners and holds.
        case started(PositioningNeed?)
        /// Stopped, but still running until no hold needs positions.
        case held
        /// Started, and the source has ended by itself.
        case ended(End, PositioningNeed?)

        /// The need of the client that started it.
        var ownNeed: PositioningNeed? {
            switch self {
            case .started(let need), .ended(_, let need): need
            case .stopped, .held: nil
            }
        }

        /// How the source has ended by itself; nil while it has not.
        var end: End? {
            switch self {
            case .stopped(let end): end
            case .ended(let end, _): end
            case .started, .held: nil
            }
        }

        /// Forgets the end, because a new source has not ended.
        mutating func forgetEnd() {
            switch self {
            case .stopped: self = .stopped(after: nil)
            case .ended(_, let need): self = .started(need)
            case .started, .held: break
            }
        }
    }

    /// The end of a source.
    struct End {
        /// The failure that made it impossible to go on, if there was one.
        var failure: PositionSourceError?

        var update: PositioningUpdate { failure.map { .failed($0) } ?? .finished }
    }

    /// What the source does.
    enum Activity {
        /// It does not run.
        case idle
        /// It runs.
        case running(Run)
        /// It is in a planned pause, with the receiver on or off.
        case paused(receiverIsOff: Bool)

        var run: Run? { if case .running(let run) = self { run } else { nil } }

        var isPaused: Bool { if case .paused = self { true } else { false } }

        var receiverIsOff: Bool { if case .paused(receiverIsOff: true) = self { true } else { false } }

        /// How many positions this run has delivered.
        var positionCount: Int { run?.positionCount ?? 0 }

        /// The run has delivered a position.
        mutating func notePosition() { change { $0.positionCount += 1 } }

        /// The run ends by itself.
        mutating func noteEnd() { change { $0.isEnding = true } }

        private mutating func change(_ body: (inout Run) -> Void) {
            guard case .running(var run) = self else { return }
            body(&run)
            self = .running(run)
        }
    }

    /// A run of the source.
    struct Run {
        let task: Task<Void, Never>
        /// How many positions it has delivered.
        var positionCount = 0
        /// Whether it ends by itself: it has finished or failed, and nothing more of it counts.
        var isEnding = false
    }

    /// What is known of where the device is.
    enum Place {
        /// Nothing: no fix has come, or it was forgotten.
        case unknown
        /// The last fix, and the last match while there are fixes.
        case fix(Position, MatchedPosition?)
        /// The position is lost.
        case lost(LossReason)

        /// Puts the last fix on a road, or on none.
        mutating func match(_ match: MatchedPosition?) {
            if case .fix(let position, _) = self { self = .fix(position, match) }
        }
    }
}

extension PositioningNeed {
    /// The closer of two needs; nil when there is none.
    static func closer(_ one: PositioningNeed?, _ other: PositioningNeed?) -> PositioningNeed? {
        switch (one, other) {
        case (nil, let need), (let need, nil): need
        case (.within(let one)?, .within(let other)?): .within(min(one, other))
        case (.everyFix?, _), (_, .everyFix?): .everyFix
        }
    }
}
