import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

// What is asked about the map page.

extension PageRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let page = tracker.page
        guard page.settings.isOn else {
            throw ControlRefusal(
                .notFound, what: "map page", why: "is off",
                next: "write listen = \"127.0.0.1:7575\" below [map] in \(tracker.configurationFile), and restart the tracker")
        }
        guard let token = page.token else { throw ControlRefusal(.unavailable, message: page.problem ?? "map page: is not open yet") }
        var answer = Answer()
        (answer.address, answer.socket) = (page.address, page.settings.socket)
        answer.names = page.settings.hosts
        answer.isUnencrypted = page.settings.listen.map { !$0.isLoopback } ?? false
        guard let guestSeconds else {
            answer.token = token.secret
            return answer
        }
        guard tracker.access.level(of: .guest) == .full else {
            throw ControlRefusal(
                .notPermitted, what: "map page", why: "the policy lets no guest look",
                next: "write guest = \"full\" below [door] in \(tracker.access.file.path)")
        }
        guard let now = tracker.clock.likelyNow else {
            throw ControlRefusal(
                .unavailable, what: "map page", why: "the time is not known yet, and a link for guests ends at a time",
                next: "try again once the receiver or a time server has told it")
        }
        let expiry = now.millisecondsSince1970 / 1_000 + Int64(guestSeconds)
        answer.token = token.guest(untilSecondsSince1970: expiry)
        answer.expires = UTCTime(millisecondsSince1970: expiry * 1_000)
        return answer
    }
}
