import Waypost
import WaypostSystem

/// Decides who may enter: by the token, and by where a request comes from.
///
/// - A name that the page does not have (`Host`) is refused: a stranger's page may have made its own name lead here (DNS rebinding).
/// - A request that another page makes (`Origin`, `Sec-Fetch-Site`) is refused; only following a link to the page itself is not.
/// - The token comes as `?token=` or as `Authorization: Bearer`. A browser that comes with the first gets a ticket, and is led to its folder.
struct PageDoor: Sendable {
    /// The token.
    let token: PageToken
    /// The names under which the page may be reached, beside IP addresses and localhost; in lower case.
    let hosts: Set<String>

    /// What becomes of a request.
    enum Decision: Sendable, Equatable {
        /// It is answered.
        case admitted(PageVisitor)
        /// The browser gets the cookie of its ticket, and asks again below the folder.
        case welcomed(PageTicket, cookie: String)
        /// What anybody may have is answered: the script that leads a browser back to its folder.
        case wayBack
        /// It is not answered: the status, and why, for people.
        case refused(Int, String)
    }

    /// Decides about a request.
    ///
    /// - Parameter now: the time, as far as it is known.
    func decide(_ request: BrowserRequest, now: UTCTime?) -> Decision {
        guard let host = request["host"].map({ $0.lowercased() }), let (name, port) = PageDoor.parts(ofHost: host) else {
            return .refused(400, "the request does not say for which host it is")
        }
        guard isOurs(name) else {
            return .refused(421, "the page does not have the name \(printable(name)); its owner may add it to [map] hosts")
        }
        guard request.method == "GET" || request.method == "HEAD" else { return .refused(405, "the page only answers GET and HEAD") }
        if request.headers["origin"] != nil,
            request["origin"].map({ $0.lowercased() == "http://\(host)" || $0.lowercased() == "https://\(host)" }) != true
        {
            return .refused(403, "another page asks for this")
        }
        if let site = request["sec-fetch-site"], site != "same-origin", site != "none" {
            // A link to the page, in a message for example; not a frame in another page.
            let isWindow = request["sec-fetch-dest"].map { $0 == "document" } ?? true
            guard request["sec-fetch-mode"] == "navigate", isWindow, request.path == "/" else {
                return .refused(403, "another page asks for this")
            }
        }
        // Two trackers of one host do not overwrite each other's: cookies do not tell ports apart.
        let cookieName = "waypost_\(port)"
        if let folder = request.folder {
            for cookie in request.cookies(cookieName) {
                if let ticket = PageTicket(folder: folder, cookie: cookie, of: token, now: now) { return .admitted(ticket.visitor) }
            }
            return .refused(401, PageDoor.noToken)
        }
        if let text = request.query["token"] {
            guard let visitor = token.visitor(presenting: text, now: now) else { return .refused(401, PageDoor.noToken) }
            guard request.path == "/" else { return .admitted(visitor) }
            let ticket = PageTicket(visitor, of: token)
            let isEncrypted = request["x-forwarded-proto"] == "https"
            return .welcomed(ticket, cookie: cookie(named: cookieName, ticket, now: now, isEncrypted: isEncrypted))
        }
        let bearer = "bearer "
        if let header = request["authorization"], header.lowercased().hasPrefix(bearer),
            let visitor = token.visitor(presenting: String(header.dropFirst(bearer.count)), now: now)
        {
            return .admitted(visitor)
        }
        return request.path == PageDoor.wayBack ? .wayBack : .refused(401, PageDoor.noToken)
    }

    /// The script that leads a browser back to its folder, which it has kept for this origin alone: host and port.
    static let wayBack = "/return.js"

    static let noToken = "the address needs its token: waypost page prints it"

    /// Whether a name leads to us and nobody else could have made it so, or the owner says it does.
    private func isOurs(_ name: String) -> Bool {
        if ListenAddress.isIPv4(name) || name.hasPrefix("[") { return true }
        return name == "localhost" || name.hasSuffix(".localhost") || hosts.contains(name)
    }

    /// The name and the port of a Host header; nil when it is not one.
    private static func parts(ofHost host: String) -> (name: String, port: Int)? {
        var name = host[...]
        var port = 80
        if let colon = host.lastIndex(of: ":"), host.last != "]" {
            guard let number = UInt16(host[colon...].dropFirst()) else { return nil }
            (name, port) = (host[..<colon], Int(number))
        }
        if name.last == "." { name = name.dropLast() }
        if name.hasPrefix("[") {
            return name.last == "]" && ListenAddress.isIPv6(name.dropFirst().dropLast()) ? (String(name), port) : nil
        }
        return name.isEmpty || name.utf8.contains(UInt8(ascii: ":")) ? nil : (String(name), port)
    }

    private func cookie(named name: String, _ ticket: PageTicket, now: UTCTime?, isEncrypted: Bool) -> String {
        var seconds: Int64 = 31_536_000
        if case .guest(let end) = ticket.visitor, let now {
            seconds = max(1, (end.millisecondsSince1970 - now.millisecondsSince1970) / 1_000)
        }
        let path = "/\(ticket.folder)/"
        return "\(name)=\(ticket.cookie); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(seconds)\(isEncrypted ? "; Secure" : "")"
    }
}
