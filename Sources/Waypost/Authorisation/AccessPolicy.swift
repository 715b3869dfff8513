/// Whom a decision is about.
package enum AccessSubject: Sendable, Hashable {
    /// A user, by number.
    case user(UInt32)
    /// The members of a group, by number.
    case group(UInt32)
}

/// What the administrator has written into the policy file.
///
/// A user's own rule counts before those of groups; of several groups the one that allows most counts.
package struct AccessPolicy: Sendable, Hashable {
    /// A rule for a user or a group.
    package struct Rule: Sendable, Hashable {
        /// What may be known, and when.
        package var authorisation: Authorisation
        /// The purposes for which full accuracy is given for a while without asking anybody.
        package var purposes: Set<String>

        /// A rule.
        package init(_ authorisation: Authorisation, purposes: Set<String> = []) {
            (self.authorisation, self.purposes) = (authorisation, purposes)
        }
    }

    /// A way to the position on which the tracker cannot know every caller.
    package enum Door: String, Sendable, Hashable, CaseIterable {
        /// gpsd's protocol.
        case gpsd
        /// NMEA 0183 over TCP.
        case nmea
        /// NMEA 0183 in datagrams.
        case nmeaUDP = "nmea_udp"
        /// NMEA 0183 on a Unix socket.
        case nmeaSocket = "nmea_socket"
        /// The map page, with its token.
        case page
        /// The map page, with the link of a guest.
        case guest
    }

    /// The rules.
    package var rules: [AccessSubject: Rule] = [:]
    /// What each door gives.
    package var doors: [Door: AuthorisationLevel] = [:]
    /// What each purpose is, for people.
    package var purposes: [String: String] = [:]

    /// A policy without a word.
    package init() {}

    /// What a key must be, for people.
    package static let keyWords = "1 to 64 letters, digits, '-', '_' or '.', the first no '.'"

    /// Whether a text can be the key of a purpose or the name of a registration, which is that of a file, too.
    package static func isKey(_ key: String) -> Bool {
        (1...64).contains(key.utf8.count) && key.utf8.first != UInt8(ascii: ".")
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
