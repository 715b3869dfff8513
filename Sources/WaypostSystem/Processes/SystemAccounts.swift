import Glibc

/// Users and groups of this system.
public enum SystemAccounts {
    /// The effective user of this process.
    public static var ownUserID: UInt32 { geteuid() }

    /// Whether this process has a group, also one that a service manager has given it.
    package static func hasOwnGroup(named name: String) -> Bool {
        guard let id = groupID(named: name) else { return false }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return getegid() == id || groups.prefix(max(0, Int(count))).contains(id)
    }

    /// The number of a user, given by name or as a number; nil when there is no user of that name.
    public static func userID(named name: String) -> UInt32? {
        UserAccount(named: name)?.userID ?? number(name)
    }

    /// The number of a user or group; nil for a text that is none.
    ///
    /// The largest one is nobody's: it stands for "no change".
    public static func number(_ text: some StringProtocol) -> UInt32? { UInt32(text).flatMap { $0 == .max ? nil : $0 } }

    /// The number of a group, or nil when there is no group of that name.
    public static func groupID(named name: String) -> UInt32? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        // The members' names are stored in here; a group too large for it is looked up again with more room.
        var room = [CChar](repeating: 0, count: 4_096)
        while true {
            let code = getgrnam_r(name, &entry, &room, room.count, &found)
            if code == ERANGE, room.count < 1 << 20 {
                room = [CChar](repeating: 0, count: room.count * 2)
            } else if code != EINTR {
                return code == 0 && found != nil ? entry.gr_gid : nil
            }
        }
    }

    /// The name of a user; the number when the system has no name for it.
    public static func name(ofUser id: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(id, &entry, &room, room.count, &found) == 0, found != nil, let name = entry.pw_name else { return "\(id)" }
        return String(cString: name)
    }

    /// The name of a group; the number when the system has no name for it.
    public static func name(ofGroup id: UInt32) -> String {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var room = [CChar](repeating: 0, count: 65_536)
        guard getgrgid_r(id, &entry, &room, room.count, &found) == 0, found != nil, let name = entry.gr_name else { return "\(id)" }
        return String(cString: name)
    }

    /// The groups of a user, as the system's lists have them now; none for a user that it does not know.
    public static func groupIDs(ofUser id: UInt32) -> Set<UInt32> {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(id, &entry, &room, room.count, &found) == 0, found != nil, let name = entry.pw_name else { return [] }
        var groups = [gid_t](repeating: 0, count: 1_024)
        var count = Int32(groups.count)
        guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else { return [entry.pw_gid] }
        return Set(groups.prefix(Int(count)))
    }
}
