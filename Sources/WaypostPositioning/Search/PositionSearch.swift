/// The attempts to find a position, their results, and what to do next.
///
/// Its sentences are the same everywhere: on the screen, in the log, in `status`, in `watch` and from the doctor.
package struct PositionSearch: Sendable, Equatable {
    /// One source that was tried.
    package struct Attempt: Sendable, Equatable {
        /// The source's URL.
        package var source: String
        /// The result: `gpsd runs, but has no receiver`.
        package var found: String
    }

    /// Where the tracker runs, as far as the advice depends on it.
    package struct Surroundings: Sendable {
        /// Whether a service manager started it, rather than a person by hand.
        package var isService: Bool
        /// The configuration file that names the sources.
        package var configurationFile: String
        /// The user it runs as.
        package var userName: String
        /// Whether it has the group `dialout` already.
        package var isInDialout: Bool

        /// Surroundings from their parts.
        package init(isService: Bool, configurationFile: String, userName: String, isInDialout: Bool = false) {
            self.isInDialout = isInDialout
            self.isService = isService
            self.configurationFile = configurationFile
            self.userName = userName
        }
    }

    /// The first words about a port that the user may not open.
    package static let deniedWords = "permission denied"

    /// The words about data without positions.
    package static let unreadableWords = "data comes, but no positions can be read from it"
    /// The words about a gpsd without a receiver.
    package static let emptyGPSDWords = "gpsd runs, but has no receiver"

    /// How long a cold start takes: the orbits of the satellites in view arrive in half a minute, the whole almanac in 12.5 minutes.
    package static let coldStartWords = "a cold start takes half a minute under an open sky, and up to 12.5 minutes under a poor one"

    /// What helps a receiver that sends without a fix.
    package static let openSkyAdvice = "give the antenna a clear view of the sky; \(coldStartWords)"

    /// How many satellites a receiver sees and uses; nil where it does not say.
    package static func satelliteWords(used: Int?, seen: Int?) -> String? {
        guard let seen else { return nil }
        return seen == 0 ? "no satellite in view" : "\(used ?? 0) of \(seen) satellites used"
    }

    /// The sources, in their order.
    package let attempts: [Attempt]
    /// What to do next, in one sentence.
    package let advice: String
    /// The commands that do it, in order, ready to paste; empty when no command helps.
    package let commands: [String]

    /// The attempts and their results, in one line.
    package var why: String { attempts.map { "\($0.source): \($0.found)" }.joined(separator: "; ") }

    /// The results for these sources, and the one thing to do next: for the source that is nearest to a position.
    package init(_ sources: [SourceMember], in surroundings: Surroundings) {
        attempts = sources.map { Attempt(source: $0.name, found: $0.found(by: surroundings.userName)) }
        (advice, commands) = PositionSearch.next(sources, surroundings)
    }

    private static func next(_ sources: [SourceMember], _ surroundings: Surroundings) -> (String, [String]) {
        if let next = sources.first(where: { $0.state == .fix }) { return ("wait: \(next.name) is about to take over", []) }
        let candidates = sources.flatMap(\.candidates)
        let steps = sources.compactMap { NextStep($0, hasCandidates: candidates.contains { $0.words != nil }) }
        // Without gpsd it may go well; nobody installs, starts or configures it before the other sources have been tried.
        let tried = sources.first { $0.state == .starting && $0.peer == nil }
        if let tried, steps.allSatisfy({ $0.rank >= NextStep.tellGPSD([]).rank }) { return ("wait: \(tried.name) is being tried", []) }
        return steps.min { $0.rank < $1.rank }?.words(surroundings, candidate: candidates.first) ?? ("wait: it is being tried", [])
    }
}

extension SourceMember {
    fileprivate var obstacle: SourceObstacle? {
        switch loss {
        case .disconnected(let detail), .deviceGone(let detail): detail.obstacle
        default: nil
        }
    }

    fileprivate var candidates: [SourceObstacle.Candidate] {
        if case .noKnownReceiver(let candidates)? = obstacle { candidates } else { [] }
    }

    /// The result for this source.
    fileprivate func found(by userName: String) -> String {
        switch state {
        case .standby: "not tried yet"
        case .starting: peer.map { "connected (\($0)), nothing received yet" } ?? "being tried"
        case .searching where NextStep.Kind(name) == .recording, .lost(.noFix) where NextStep.Kind(name) == .recording:
            "the recording has no position here"
        case .searching, .lost(.noFix): "the receiver sends, but has no fix"
        case .fix: "has a fix"
        case .ended: "has ended"
        case .lost(.silent): peer.map { "connected (\($0)), but nothing comes from a receiver" } ?? "nothing comes"
        case .lost(.unusable(let detail)): peer.map { "connected (\($0)): \(detail.words)" } ?? detail.words
        case .lost(.ended): "has ended"
        case .lost(.replaced): "another source is used now"
        case .lost(.withheld): "positions are withheld"
        case .lost(.disconnected(let detail)):
            obstacle?.found(by: userName, words: detail.words) ?? "not connected: \(withoutName(detail.words))"
        case .lost(.deviceGone(let detail)): obstacle?.found(by: userName, words: detail.words) ?? withoutName(detail.words)
        }
    }

    private func withoutName(_ words: String) -> String {
        words.hasPrefix(name + ": ") ? String(words.dropFirst(name.count + 2)) : words
    }
}

extension SourceObstacle {
    /// Why nobody answers, for people; nil when that is not the obstacle.
    var absenceWords: String? {
        switch self {
        case .noGPSD: "no gpsd answers"
        case .gpsdNotInstalled: "gpsd is not installed"
        case .unknownHost(let host): "the name \(host) cannot be resolved"
        default: nil
        }
    }

    fileprivate func found(by userName: String, words: String) -> String {
        switch self {
        case .noGPSD, .gpsdNotInstalled, .unknownHost: "not connected: \(absenceWords ?? words)"
        case .gpsdWithoutReceiver: PositionSearch.emptyGPSDWords
        case .noKnownReceiver(let candidates):
            switch candidates.first {
            case nil: "no receiver is plugged in"
            case let line? where line.words == nil: "no receiver is plugged in; \(line.path), a line of the board, may have one"
            case let line?: "no known receiver is plugged in; \(line.path) may be one (\(line.words ?? "USB"))"
            }
        case .notPermitted(let path, let group):
            group.map { "\(PositionSearch.deniedWords): only the group \($0) may open \(path), and \(userName) is not in it" }
                ?? "\(PositionSearch.deniedWords): \(userName) may not open \(path)"
        case .heldByGPSD(let path): "gpsd has \(path)"
        case .heldByAnother: "not connected: \(words)"
        case .repeatedFix, .unreadable: "sends nothing of use"
        }
    }
}
