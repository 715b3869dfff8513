import Waypost

/// The secret in the address of the map page, and the links for guests that are signed with it.
///
/// A guest's token is `guest.EXPIRY.SIGNATURE`: seconds since 1970, and an HMAC-SHA-256 of them in hexadecimal digits. Nothing about guests is
/// stored; a new token ends their links, too.
struct PageToken: Sendable, Equatable {
    /// The token of those who may see everything.
    let secret: String

    /// A token; nil when it is too short, too long, or has characters that an address would escape.
    init?(_ secret: String) {
        guard (16...128).contains(secret.utf8.count), secret.utf8.allSatisfy(PageToken.isOfToken) else { return nil }
        self.secret = secret
    }

    /// A new token of 32 hexadecimal digits, from the system's generator.
    static func random() -> PageToken {
        guard let token = PageToken(RandomDigits.make()) else { preconditionFailure("32 digits are a token") }
        return token
    }

    /// Whose token a text is; nil when it is nobody's, or has expired.
    ///
    /// - Parameter now: the time; a guest is admitted only while it is known.
    /// - Cost: the same for every wrong text of the same length.
    func visitor(presenting text: String, now: UTCTime?) -> PageVisitor? {
        if PageToken.isEqual(text, secret) { return .owner }
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[0] == PageToken.guestPrefix, let expiry = Int64(parts[1]), let now else { return nil }
        guard PageToken.isEqual(text, guest(untilSecondsSince1970: expiry)) else { return nil }
        guard now.millisecondsSince1970 / 1_000 < expiry else { return nil }
        return .guest(until: UTCTime(millisecondsSince1970: expiry * 1_000))
    }

    /// The token of a guest, until that moment.
    func guest(untilSecondsSince1970 expiry: Int64) -> String {
        let message = "\(PageToken.guestPrefix).\(expiry)"
        return message + "." + signature(of: message)
    }

    /// An HMAC-SHA-256 of a text, in hexadecimal digits.
    func signature(of text: String) -> String {
        SHA256.hexadecimal(HMACSHA256.digest(of: Array(text.utf8), key: Array(secret.utf8)))
    }

    private static let guestPrefix = "guest"

    /// Whether two texts are the same, in a time that does not depend on where they differ.
    static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

/// Who looks at the page.
enum PageVisitor: Sendable, Equatable {
    /// Somebody with the token.
    case owner
    /// Somebody with a link for guests, until that moment: the position, the track, fences and their events; neither files, destinations nor health.
    case guest(until: UTCTime)

    /// Whether it is the owner.
    var isOwner: Bool { self == .owner }
}
