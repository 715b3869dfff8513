import WaypostSystem

/// Whose gpsd on this machine is trusted: any user may listen on its port while gpsd does not, and send false positions.
///
/// root, gpsd's own user and the user of this process are trusted; any other has to be named. A gpsd elsewhere, or in a container, is known
/// only by its address.
struct GPSDTrust: Sendable, Hashable {
    /// The user that gpsd runs as after it gives up root's rights.
    private static let account = "gpsd"

    /// One more user, by name or number; `any` means everybody.
    var user: String?

    /// Why the program at the other end of a connection is not trusted; nil when it is.
    func objection(to descriptor: Int32) -> LossDetail? { objection(to: LoopbackPeer.userIDs(of: descriptor)) }

    /// Why a program of these users is not trusted; nil when it is.
    func objection(to users: Set<UInt32>) -> LossDetail? {
        if user == "any" { return nil }
        let names = [GPSDTrust.account, user].compactMap { $0 }
        let trusted = [0, SystemAccounts.ownUserID] + names.compactMap { SystemAccounts.userID(named: $0) }
        guard let stranger = users.subtracting(trusted).min() else { return nil }
        return LossDetail(
            "user \(stranger) listens there, and is neither root nor gpsd",
            advice: "to trust that user, add gpsd_user = \"\(stranger)\" to this [[source]] of the configuration "
                + "(waypost config explain gpsd_user)")
    }
}
