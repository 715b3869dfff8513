/// Decides which sender's datagrams are read: anybody can send to a port, and two receivers mixed are none.
///
/// - The first sender with a whole sentence is followed, until it is silent; then the next one with a sentence is, which may be the same.
/// - Others are counted, and each is named once (the first sixteen).
struct UDPSenderRule {
    /// What becomes of a datagram.
    enum Verdict: Equatable {
        /// It is read.
        case follows
        /// It is read, and what was half read of the sender before is thrown away.
        case followsFromNowOn
        /// It is not read: another one is followed.
        case isIgnored
        /// It is not read, and this is the first time: another one, which the verdict names, is followed.
        case isIgnoredAndNamed(String)
        /// It is not read: nobody is followed, and there is no sentence in it.
        case holdsNothing
    }

    private static let mostNamed = 16

    /// The sender whose datagrams are read, nil before the first.
    private(set) var followed: String?
    /// How many datagrams of others were not read.
    private(set) var ignoredCount = 0
    private var named: Set<String> = []

    /// Decides about one datagram.
    ///
    /// - Parameters:
    ///   - isFollowedSilent: whether the one that is followed has been silent for so long that another one may take over.
    ///   - holdsSentence: whether the datagram holds a whole sentence; asked only when it matters.
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
