import Waypost

/// The time zones of this system, the compiled tz database.
public enum TimeZoneFolder {
    /// Where it is on Debian, package tzdata.
    public static let path = "/usr/share/zoneinfo"
    /// The longest file that is read; the longest real one is 4 kB.
    private static let mostBytes = 1 << 20

    /// The clocks of a place such as `Asia/Tokyo`; nil when the system does not know that name.
    ///
    /// `UTC` needs no file.
    public static func rules(named name: String) -> TimeZoneRules? {
        if name == "UTC" { return .utc }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    let scalar = Unicode.Scalar(byte)
                    return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                        || "_+-".unicodeScalars.contains(scalar)
                }
        }
        guard isName, name.utf8.count <= 64 else { return nil }
        return rules(inFile: "\(path)/\(name)")
    }

    /// The clocks of this system and user: those that `TZ` names, else those of `/etc/localtime`, else UTC.
    ///
    /// - Source: tzset(3). As there, a `TZ` that names nothing means UTC.
    public static func local(environment: [String: String]) -> TimeZoneRules {
        environment["TZ"].map { rules(ofSetting: $0) ?? .utc } ?? rules(inFile: "/etc/localtime") ?? .utc
    }

    /// The clocks that a value of `TZ` names; nil when it names none.
    ///
    /// An empty one means UTC.
    public static func rules(ofSetting setting: String) -> TimeZoneRules? {
        let name = setting.first == ":" ? String(setting.dropFirst()) : setting
        if name.isEmpty { return .utc }
        if name.first == "/" { return rules(inFile: name) }
        return rules(named: name) ?? TimeZoneRules(posix: name)
    }

    private static func rules(inFile path: String) -> TimeZoneRules? {
        // A file that cannot be read counts as a zone that is not there.
        let bytes = (try? Syscalls.contents(of: path, limit: mostBytes)) ?? nil  // See above.
        return bytes.flatMap(TimeZoneRules.init(file:))
    }
}
