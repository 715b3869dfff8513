import Glibc

/// The user and the environment of this process, read once.
public struct ProcessIdentity: Equatable, Sendable {
    /// The effective user.
    public var userID: UInt32
    /// The effective user's name, nil when the system has none.
    public var userName: String?
    /// The environment variables; of those with the same name the first counts.
    public var environment: [String: String]

    /// This process, now.
    /// - Concurrency: nothing may change the environment meanwhile; call it before other threads start.
    public static func current() -> ProcessIdentity {
        let userID = geteuid()
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(name: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, environment[String(pair[0])] == nil { environment[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return ProcessIdentity(userID: userID, userName: name(ofUser: userID), environment: environment)
    }

    private static func name(ofUser userID: UInt32) -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(userID, &record, &text, text.count, &found) == 0, let name = found?.pointee.pw_name else { return nil }
        return String(cString: name)
    }
}
