import Waypost

/// What a browser gets that has shown a token: a folder of its own in the page's address, and a cookie that it sends to nothing else.
///
/// A browser sends a cookie to every port of a host, and so to whatever another user runs there; but only with addresses below the cookie's path.
/// Nobody can guess the folder, and no other origin can read it: not from a `Referer`, which the page forbids, nor from the browser's storage. Each of
/// both is made of the token with a keyed hash and is worth nothing without the other: the folder, which a history keeps, and the cookie, which is not
/// the token.
struct PageTicket: Sendable, Equatable {
    let visitor: PageVisitor
    /// 32 hexadecimal digits.
    let folder: String
    /// The value of the cookie: `owner.SIGNATURE`, or `guest.EXPIRY.SIGNATURE`.
    let cookie: String

    /// What the token gives to a visitor.
    init(_ visitor: PageVisitor, of token: PageToken) {
        switch visitor {
        case .owner: self.init(visitor, name: "owner", of: token)
        case .guest(let end): self.init(visitor, name: "guest.\(end.millisecondsSince1970 / 1_000)", of: token)
        }
    }

    /// The ticket whose folder and cookie these are; nil when they are nobody's, or the ticket has expired.
    ///
    /// - Parameter now: the time; a guest is admitted only while it is known.
    init?(folder: String, cookie: String, of token: PageToken, now: UTCTime?) {
        guard let dot = cookie.lastIndex(of: ".") else { return nil }
        let parts = cookie[..<dot].split(separator: ".", omittingEmptySubsequences: false)
        var visitor = PageVisitor.owner
        if let expiry = parts.count == 2 ? Int64(parts[1]) : nil {
            guard let now, now.millisecondsSince1970 / 1_000 < expiry, expiry < PageTicket.lastSecond else { return nil }
            visitor = .guest(until: UTCTime(millisecondsSince1970: expiry * 1_000))
        }
        self.init(visitor, of: token)
        // The cookie that a ticket of this visitor has, to the byte: whatever else it said before its signature is not it.
        guard PageToken.isEqual(cookie, self.cookie), PageToken.isEqual(folder, self.folder) else { return nil }
    }

    private init(_ visitor: PageVisitor, name: String, of token: PageToken) {
        self.visitor = visitor
        folder = String(token.signature(of: "folder \(name)").prefix(PageTicket.folderByteCount))
        cookie = name + "." + token.signature(of: "cookie \(name)")
    }

    /// Whether a part of a path may be a folder.
    static func isFolder(_ part: some StringProtocol) -> Bool {
        part.utf8.count == folderByteCount
            && part.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static let folderByteCount = 32
    /// In the year 9999: a later one is nobody's, and might overflow.
    private static let lastSecond: Int64 = 253_402_300_800
}
