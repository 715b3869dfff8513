import Glibc

/// A user of this system.
public struct UserAccount: Sendable, Hashable {
    /// Its number.
    public var userID: UInt32
    /// The number of its group.
    public var groupID: UInt32

    /// The user of that name; nil when there is none.
    public init?(named name: String) {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &record, &text, text.count, &found) == 0, let found else { return nil }
        userID = found.pointee.pw_uid
        groupID = found.pointee.pw_gid
    }

    /// Root, in this user's group: for a file that the user may read but not change.
    public var readerOfRoot: UserAccount {
        var account = self
        account.userID = 0
        return account
    }
}
