import Waypost

/// Decides which sender's datagrams are read: anybody can send to a port, and two receivers mixed give no usable positions.
///
/// - The first sender with a whole sentence is followed, until it is silent; then the next one with a sentence, which may be the same.
/// - A followed sender that has had no new fix for as long as a loss takes gives way to one with fixes that go on: two that differ. So two
///   with fixes never alternate, and a sender that repeats an old fix replaces nobody.
/// - Others are counted, and each is named once (the first sixteen).
struct UDPSenderRule {
    /// What to do with a datagram.
    enum Verdict: Equatable {
        /// It is read.
        case follows
        /// It is read, and the half-read data of the previous sender is discarded.
        case followsFromNowOn
        /// It is not read: another sender is followed.
        case isIgnored
        /// It is not read, for the first time: another sender, named in the verdict, is followed.
        case isIgnoredAndNamed(String)
        /// It is not read: no sender is followed yet, and it has no sentence.
        case holdsNothing
    }

    /// What tells one fix from the next.
    struct Fix: Equatable {
        /// The time of day in milliseconds, if the fix has one.
        var millisecondOfDay: Int?
        /// The place.
        var coordinate: Coordinate
    }

    private static let mostNamed = 16

    /// The sender whose datagrams are read, nil before the first.
    private(set) var followed: String?
    /// How many datagrams of others were not read.
    private(set) var ignoredCount = 0
    private var named: Set<String> = []
    /// The last known fixes of others, while the followed sender has none.
    private var fixes: [String: Fix] = [:]

    /// Decides what to do with one datagram.
    ///
    /// - Parameters:
    ///   - isFollowedSilent: whether the followed sender has been silent for so long that another may take over.
    ///   - isFollowedWithoutFix: whether the followed sender has had no new fix for as long as a loss takes.
    ///   - holdsSentence: whether the datagram holds a whole sentence; called only when it matters.
    ///   - fix: the fix that the datagram holds, if any; called only when it matters.
    mutating func judge(
        _ sender: String, isFollowedSilent: Bool, isFollowedWithoutFix: Bool = false, holdsSentence: () -> Bool, fix: () -> Fix? = { nil }
    ) -> Verdict {
        if let followed, !isFollowedSilent {
            if sender == followed { return .follows }
            if isFollowedWithoutFix, let fix = fix(), isNew(fix, of: sender) { return follow(sender) }
            ignoredCount += 1
            guard named.count < UDPSenderRule.mostNamed, named.insert(sender).inserted else { return .isIgnored }
            return .isIgnoredAndNamed(followed)
        }
        if sender == followed { return .follows }
        guard holdsSentence() else { return .holdsNothing }
        return follow(sender)
    }

    private mutating func follow(_ sender: String) -> Verdict {
        followed = sender
        named.remove(sender)
        fixes = [:]
        return .followsFromNowOn
    }

    /// Whether another fix of that sender is known, which was not this one.
    private mutating func isNew(_ fix: Fix, of sender: String) -> Bool {
        if fixes.count >= UDPSenderRule.mostNamed, fixes[sender] == nil { fixes = [:] }
        let last = fixes.updateValue(fix, forKey: sender)
        return last != nil && last != fix
    }
}
