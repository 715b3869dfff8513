/// Decides which sender's datagrams are read: anybody can send to a port, and two receivers mixed give no usable positions.
///
/// - The first sender with a whole sentence is followed, until it is silent; then the next one with a sentence, which may be the same.
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

    private static let mostNamed = 16

    /// The sender whose datagrams are read, nil before the first.
    private(set) var followed: String?
    /// How many datagrams of others were not read.
    private(set) var ignoredCount = 0
    private var named: Set<String> = []

    /// Decides what to do with one datagram.
    ///
    /// - Parameters:
    ///   - isFollowedSilent: whether the followed sender has been silent for so long that another may take over.
    ///   - holdsSentence: whether the datagram holds a whole sentence; called only when it matters.
    mutating func judge(_ sender: String, isFollowedSilent: Bool, holdsSentence: () -> Bool) -> Verdict {
        if let followed, !isFollowedSilent {
            if sender == followed { return .follows }
            ignoredCount += 1
            guard named.count < UDPSenderRule.mostNamed, named.insert(sender).inserted else { return .isIgnored }
            return .isIgnoredAndNamed(followed)
        }
        if sender == followed { return .follows }
        guard holdsSentence() else { return .holdsNothing }
        followed = sender
        named.remove(sender)
        return .followsFromNowOn
    }
}
