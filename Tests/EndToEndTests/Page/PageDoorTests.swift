import Testing
import Waypost

@testable import WaypostDaemon

/// Who may see the page, decided about requests as browsers and attackers write them.
struct PageDoorTests {
    private struct NotWelcomed: Error {}

    private let token: PageToken
    private let now = UTCTime(millisecondsSince1970: 1_795_600_000_000)

    init() throws {
        token = try #require(PageToken("0123456789abcdef0123456789abcdef"))
    }

    private func decide(
        _ target: String = "/", method: String = "GET", hosts: Set<String> = [], _ headers: (String, String)...
    ) throws -> PageDoor.Decision {
        let request = try #require(BrowserRequest(method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) }))
        return PageDoor(token: token, hosts: hosts).decide(request, now: now)
    }

    private func isRefused(_ decision: PageDoor.Decision, _ status: Int) -> Bool {
        if case .refused(status, _) = decision { true } else { false }
    }

    @Test func admitsWithTheTokenInEachOfItsPlaces() throws {
        let secret = token.secret
        #expect(try decide("/metrics", ("Host", "127.0.0.1:7575"), ("Authorization", "Bearer \(secret)")) == .admitted(.owner))
        #expect(try decide("/api/v1/state?token=\(secret)", ("Host", "[::1]:7575")) == .admitted(.owner))
        #expect(isRefused(try decide("/", ("Host", "localhost:7575")), 401))
        #expect(isRefused(try decide("/?token=\(secret)x", ("Host", "localhost:7575")), 401))
        #expect(isRefused(try decide("/?token=", ("Host", "localhost:7575")), 401))
        // What anybody may read, and whoever was let in needs.
        #expect(try decide("/return.js", ("Host", "localhost:7575")) == .wayBack)
        #expect(isRefused(try decide("/app.js", ("Host", "localhost:7575")), 401))
    }

    /// The cookie of a browser that opened the link, its name with its value, and the path to which it sends it.
    private func welcome(_ presented: String, host: String = "localhost:7575") throws -> (cookie: String, path: String, others: [String]) {
        guard case .welcomed(_, let header) = try decide("/?token=\(presented)", ("Host", host)) else {
            throw NotWelcomed()
        }
        let parts = header.split(separator: "; ").map(String.init)
        let path = try #require(parts.first { $0.hasPrefix("Path=") }?.dropFirst("Path=".count))
        return (parts[0], String(path), parts.dropFirst().filter { !$0.hasPrefix("Path=") })
    }

    /// A browser sends cookies to every port of the host: only the path keeps this one from them, and it is not the token.
    @Test func givesABrowserACookieForOnePathThatNobodyCanGuess() throws {
        let (cookie, path, others) = try welcome(token.secret)
        #expect(cookie.hasPrefix("waypost_7575=") && Set(others) == ["HttpOnly", "SameSite=Strict", "Max-Age=31536000"])
        #expect(path.wholeMatch(of: /\/[0-9a-f]{32}\//) != nil, "\(path)")
        for secret in [cookie, path] { #expect(!secret.contains(token.secret) && !token.secret.contains(secret)) }
        for inside in ["", "app.js", "api/v1/state", "metrics"] {
            #expect(try decide(path + inside, ("Host", "localhost:7575"), ("Cookie", "a=b; \(cookie)")) == .admitted(.owner))
        }
        // Neither the cookie nor the path is worth anything alone, nor either in the place of the token.
        let value = String(cookie.split(separator: "=", maxSplits: 1)[1])
        let folder = String(path.dropFirst().dropLast())
        #expect(isRefused(try decide("/", ("Host", "localhost:7575"), ("Cookie", cookie)), 401))
        #expect(isRefused(try decide("/api/v1/state", ("Host", "localhost:7575"), ("Cookie", "waypost_7575=\(token.secret)")), 401))
        #expect(isRefused(try decide(path, ("Host", "localhost:7575")), 401))
        #expect(isRefused(try decide(path, ("Host", "localhost:7575"), ("Authorization", "Bearer \(value)")), 401))
        #expect(isRefused(try decide("/?token=\(value)", ("Host", "localhost:7575")), 401))
        #expect(isRefused(try decide("/metrics", ("Host", "localhost:7575"), ("Authorization", "Bearer \(folder)")), 401))
        #expect(isRefused(try decide("/\(String(repeating: "0", count: 32))/", ("Host", "localhost:7575"), ("Cookie", cookie)), 401))
        // Of another port on the same machine: another tracker's.
        #expect(isRefused(try decide(path, ("Host", "localhost:7576"), ("Cookie", cookie)), 401))
        let other = try #require(PageToken("fedcba9876543210fedcba9876543210"))
        #expect(PageTicket(folder: folder, cookie: value, of: token, now: now)?.visitor == .owner)
        #expect(PageTicket(folder: folder, cookie: value, of: other, now: now) == nil)
        guard
            case .welcomed(_, let encrypted) = try decide("/?token=\(token.secret)", ("Host", "localhost"), ("X-Forwarded-Proto", "https"))
        else { throw NotWelcomed() }
        #expect(encrypted.hasPrefix("waypost_80=") && encrypted.hasSuffix("; Secure"))
    }

    /// One that another port of the host has set, or that is left of an earlier token.
    @Test func takesTheCookieThatIsValidAmongSeveralOfItsName() throws {
        let (cookie, path, _) = try welcome(token.secret)
        for cookies in ["waypost_7575=x; \(cookie)", "\(cookie); waypost_7575=x", "waypost_7575=; waypost_7575=owner.00;\(cookie)"] {
            #expect(try decide(path, ("Host", "localhost:7575"), ("Cookie", cookies)) == .admitted(.owner), "\(cookies)")
        }
        #expect(try decide(path, ("Host", "localhost:7575"), ("Cookie", "waypost_7575=x"), ("Cookie", cookie)) == .admitted(.owner))
        #expect(isRefused(try decide(path, ("Host", "localhost:7575"), ("Cookie", "waypost_7575=x; waypost_7575=y")), 401))
    }

    @Test func givesAGuestAnotherPathUntilTheLinkExpires() throws {
        let end: Int64 = 1_795_600_100
        let owner = try welcome(token.secret)
        let guest = try welcome(token.guest(untilSecondsSince1970: end))
        #expect(guest.path != owner.path && guest.others.contains("Max-Age=100"))
        let value = String(guest.cookie.split(separator: "=", maxSplits: 1)[1])
        let folder = String(guest.path.dropFirst().dropLast())
        let until = UTCTime(millisecondsSince1970: end * 1_000)
        #expect(PageTicket(folder: folder, cookie: value, of: token, now: now)?.visitor == .guest(until: until))
        #expect(PageTicket(folder: folder, cookie: value, of: token, now: until) == nil)
        #expect(PageTicket(folder: folder, cookie: value, of: token, now: nil) == nil)
        for forged in [
            value.replacing("1795600100", with: "1995600100"), value.replacing("guest.1795600100", with: "owner"),
            value.replacing("1795600100", with: "01795600100"), value.replacing("1795600100", with: "9223372036854775807"),
            "guest.1795600100.", "guest..", "", ".", "owner", String(owner.cookie.split(separator: "=", maxSplits: 1)[1]),
        ] {
            #expect(PageTicket(folder: folder, cookie: forged, of: token, now: now) == nil, "\(forged)")
        }
    }

    /// A name that somebody else's name server lets lead to this machine.
    @Test func refusesNamesThatAreNotIts() throws {
        let (value, path, _) = try welcome(token.secret)
        let cookie = ("Cookie", value)
        for host in [
            "evil.example:7575", "127.0.0.1.evil.example:7575", "localhost.evil.example:7575", "waypost:7575", "999.0.0.1:7575",
            "1.2.3:7575",
        ] {
            #expect(isRefused(try decide(path, ("Host", host), cookie), 421), "\(host)")
        }
        for host in ["", "a:b", "[::1", "::1", "localhost:99999"] {
            #expect(isRefused(try decide(path, ("Host", host), cookie), 400), "\(host)")
        }
        #expect(isRefused(try decide(path, cookie), 400))
        #expect(isRefused(try decide(path, ("Host", "localhost:7575"), ("Host", "localhost:7575"), cookie), 400))
        for host in ["10.0.0.7:7575", "LOCALHOST:7575", "localhost.:7575", "a.localhost:7575", "[fd00::1]:7575", "van.example:7575"] {
            #expect(try decide(path, hosts: ["van.example"], ("Host", host), cookie) == .admitted(.owner), "\(host)")
        }
    }

    @Test func refusesWhatOtherPagesAskFor() throws {
        let (cookie, folder, _) = try welcome(token.secret)
        let own = [("Host", "localhost:7575"), ("Cookie", cookie)]
        func decide(_ target: String, _ more: (String, String)...) throws -> PageDoor.Decision {
            let request = try #require(
                BrowserRequest(method: "GET", target: folder + target.dropFirst(), headers: (own + more).map { (name: $0.0, value: $0.1) }))
            return PageDoor(token: token, hosts: []).decide(request, now: now)
        }
        #expect(isRefused(try decide("/api/v1/state", ("Origin", "http://evil.example")), 403))
        #expect(isRefused(try decide("/api/v1/state", ("Origin", "null")), 403))
        #expect(isRefused(try decide("/api/v1/state", ("Origin", "http://localhost:7576")), 403))
        #expect(try decide("/api/v1/state", ("Origin", "http://localhost:7575")) == .admitted(.owner))
        for site in ["cross-site", "same-site"] {
            #expect(isRefused(try decide("/api/v1/state", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")), 403))
            #expect(isRefused(try decide("/", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "no-cors")), 403))
            let frame = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")]
            #expect(isRefused(try decide("/", frame[0], frame[1], frame[2]), 403))
            // A link in a message.
            #expect(try decide("/", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")) == .admitted(.owner))
        }
        #expect(try decide("/api/v1/state", ("Sec-Fetch-Site", "same-origin")) == .admitted(.owner))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"]) func answersNothingButReading(method: String) throws {
        #expect(isRefused(try decide("/", method: method, ("Host", "localhost"), ("Authorization", "Bearer \(token.secret)")), 405))
    }

    // MARK: - Tokens

    @Test(arguments: ["", "short", "with blanks in it, long enough", "0123456789abcdef?", String(repeating: "a", count: 129)])
    func takesNoWeakToken(text: String) { #expect(PageToken(text) == nil) }

    @Test func makesTokensThatDiffer() { #expect(PageToken.random() != PageToken.random()) }

    @Test func admitsAGuestUntilTheLinkExpires() {
        let end: Int64 = 1_795_600_100
        let guest = token.guest(untilSecondsSince1970: end)
        #expect(token.visitor(presenting: guest, now: now) == .guest(until: UTCTime(millisecondsSince1970: end * 1_000)))
        #expect(token.visitor(presenting: guest, now: UTCTime(millisecondsSince1970: end * 1_000)) == nil)
        // Without a clock nobody knows whether it has expired.
        #expect(token.visitor(presenting: guest, now: nil) == nil)
        // One that is prolonged, and one of another tracker.
        #expect(token.visitor(presenting: guest.replacing("1795600100", with: "1995600100"), now: now) == nil)
        #expect(PageToken("fedcba9876543210fedcba9876543210")?.visitor(presenting: guest, now: now) == nil)
        #expect(token.visitor(presenting: String(guest.dropLast()), now: now) == nil)
        #expect(token.visitor(presenting: "guest.1795600100.", now: now) == nil)
        #expect(token.visitor(presenting: "guest..", now: now) == nil)
    }

    // MARK: - Requests

    @Test func readsOptionsWithTheirEscapes() throws {
        let request = try #require(
            BrowserRequest(method: "GET", target: "/api/v1/track?since=2026-11-25T10:00:00%2B01:00&box=1,2,3,4&x", headers: []))
        #expect(request.path == "/api/v1/track")
        #expect(request.query == ["since": "2026-11-25T10:00:00+01:00", "box": "1,2,3,4", "x": ""])
    }

    @Test(arguments: ["", "*", "http://localhost/", "/?a=%", "/?a=%4", "/?a=%zz", "/?a=%ff"]) func refusesBrokenAddresses(target: String) {
        #expect(BrowserRequest(method: "GET", target: target, headers: []) == nil)
    }
}
