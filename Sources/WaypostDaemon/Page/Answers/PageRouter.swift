import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostKit
import WaypostPositioning
import WaypostRecording
import WaypostSystem

/// Answers what a browser asks for: the page's files, its interface below `/api/v1`, and the figures for Prometheus.
struct PageRouter: Sendable {
    let reporter: StatusReporter
    let settings: Configuration.MapPage
    let files: PageFiles
    let disk: PageDisk
    /// What reads the log; nil while the log is off.
    let log: PageLog?
    let doctor: PageDoctor
    let live: PageBroadcaster
    /// The clocks of the times of the page without JavaScript.
    let zone: TimeZoneRules

    /// The number of the interface; it changes when an old program would misunderstand a new tracker.
    static let version = 1

    /// The time, as far as it is known.
    var now: UTCTime? { reporter.clock.likelyNow }

    /// The time for what needs any.
    private var anyTime: UTCTime { now ?? UTCTime(millisecondsSince1970: WallClock.milliseconds) }

    /// Whether the policy lets somebody in who has a token.
    func admits(_ visitor: PageVisitor) -> Bool { reporter.accessKeeper.level(of: visitor.isOwner ? .page : .guest) == .full }

    /// Answers a request that has passed the door.
    func answer(_ request: BrowserRequest, for visitor: PageVisitor) async -> PageAnswer {
        await find(request, for: visitor).packed(for: request)
    }

    private func find(_ request: BrowserRequest, for visitor: PageVisitor) async -> PageAnswer {
        let logs = "/api/v1/logs/"
        switch request.path {
        case "/": return await page(for: visitor)
        case "/api/v1/stream": return PageAnswer(type: "text/event-stream", body: .stream)
        case "/api/v1/state": return PageAnswer(body: .bytes(await stateEvent(for: visitor, isResumed: nil).data))
        case "/api/v1/fences": return await fences(request)
        case "/api/v1/track": return await track(request, for: visitor)
        case "/api/v1/events": return await events(request, for: visitor)
        case "/api/v1/destinations", "/api/v1/doctor", "/api/v1/gpx", "/api/v1/logs", "/metrics", "/healthz":
            guard visitor.isOwner else { return .error(403, "a link for guests does not show this") }
            return await ownersAnswer(request)
        case let path where path.hasPrefix(PageRouter.roadTiles):
            guard visitor.isOwner else { return .error(403, "a link for guests does not show this") }
            return await roadTile(request)
        case let path where path.hasPrefix(logs):
            guard visitor.isOwner else { return .error(403, "a link for guests does not show this") }
            return await logFile(named: String(path.dropFirst(logs.count)))
        case "/favicon.ico": return PageAnswer(status: 204, body: .bytes([]))
        default: return await files.answer(request) ?? .error(404, "there is nothing under this address")
        }
    }

    private func ownersAnswer(_ request: BrowserRequest) async -> PageAnswer {
        switch request.path {
        case "/api/v1/destinations":
            let reports = await destinations
            return .object("DESTINATIONS") { json in
                json.array("destinations") { json in for report in reports { report.writeElement(to: &json) } }
            }
        case "/api/v1/doctor": return await doctor.answer()
        case "/api/v1/gpx": return await gpx(request)
        case "/api/v1/logs": return await logFiles()
        case "/metrics":
            let metrics = PageMetrics(
                status: await reporter.report(access: .full), positionAgeSeconds: reporter.watches.last?.ageSeconds,
                sky: await reporter.manager.sky, destinations: await destinations, pageCount: live.streamCount)
            return PageAnswer(type: PrometheusText.type, body: .bytes(metrics.bytes))
        default:
            let status = await reporter.report(access: .full)
            let lines = [status.health.text] + (status.problems ?? []).map { oneLine($0, limit: 500) }
            return .plain(lines.joined(separator: "\n"), status: status.health == .healthy ? 200 : 503)
        }
    }

    private var destinations: [DestinationReport] {
        get async { (try? await reporter.dispatches.reports()) ?? [] }  // The problems among the state say why they cannot be read.
    }

    // MARK: - The state

    /// The state as an event: at the beginning of a stream and now and then.
    ///
    /// - Parameter isResumed: whether the stream continues an earlier one without a hole; nil for other reports.
    func stateEvent(for visitor: PageVisitor, isResumed: Bool?) async -> ServerSentEvent {
        await stateEvent(await status(for: visitor), for: visitor, isResumed: isResumed)
    }

    /// What a visitor may see of the state.
    private func status(for visitor: PageVisitor) async -> StatusReport {
        let status = await reporter.report(access: .full)
        return visitor.isOwner ? status : PageRouter.forGuests(status)
    }

    private func stateEvent(_ status: StatusReport, for visitor: PageVisitor, isResumed: Bool?) async -> ServerSentEvent {
        let sky = status.privacy?.isWithheld == true ? nil : await reporter.manager.sky
        let ground = await ground(for: visitor)
        var text = TextBuffer(capacity: 2_048)
        text.appendJSON { json in
            json.object { json in
                json.member("class", "STATE")
                json.member("api", PageRouter.version)
                json.member("time", anyTime)
                json.member("age", reporter.watches.last?.ageSeconds)
                json.member("visitor", visitor.isOwner ? "owner" : "guest")
                if case .guest(let end) = visitor { json.member("until", end) }
                json.member("resumed", isResumed)
                if !settings.tiles.isEmpty { json.member("tiles", settings.tiles) }
                if let ground { PageRouter.write(ground: ground, to: &json) }
                json.member("status") { status.writeElement(to: &$0) }
                if let sky {
                    var line = TextBuffer(capacity: 1_024)
                    TPVCodec.append(sky, to: &line)
                    json.member("sky", json: line.bytes)
                }
            }
        }
        return ServerSentEvent(name: "status", data: text.bytes)
    }

    /// What guests see of the state: neither where data goes, nor what is wrong, nor who else looks.
    private static func forGuests(_ whole: StatusReport) -> StatusReport {
        var status = StatusReport()
        (status.version, status.uptimeSeconds, status.health) = (whole.version, whole.uptimeSeconds, whole.health)
        (status.position, status.lastPosition, status.lastPositionAgeSeconds) =
            (whole.position, whole.lastPosition, whole.lastPositionAgeSeconds)
        (status.fences, status.privacy, status.display) = (whole.fences, whole.privacy, whole.display)
        status.following = whole.following
        status.following?.clients = []
        if let roads = whole.roads {
            var shown = StatusReport.Roads()
            shown.isMatching = roads.isMatching
            status.roads = shown
        }
        if let source = whole.source {
            var shown = StatusReport.Source()
            (shown.state, shown.reason) = (source.state, source.reason)
            (shown.satellitesSeen, shown.satellitesUsed) = (source.satellitesSeen, source.satellitesUsed)
            status.source = shown
        }
        return status
    }

    /// The beat of a stream: the server's time, and the age of the position; a browser notices within seconds when it stops.
    func beatEvent() -> ServerSentEvent {
        var text = TextBuffer(capacity: 128)
        text.appendJSON { json in
            json.object { json in
                json.member("class", "BEAT")
                json.member("time", anyTime)
                json.member("age", reporter.watches.last?.ageSeconds)
            }
        }
        return ServerSentEvent(name: "beat", data: text.bytes)
    }

    /// The line of a loss, without the last position: whoever may know it has it.
    static func lossLine(_ reason: LossReason) -> [UInt8] {
        var loss = PositionLoss()
        (loss.reason, loss.detail) = (reason.code, "\(reason)")
        return loss.line
    }

    // MARK: - The page itself

    /// The frame of the page, with the last state as text for those without JavaScript.
    private func page(for visitor: PageVisitor) async -> PageAnswer {
        guard let frame = await files.frame() else {
            return .plain("the files of the page are not installed: /usr/share/waypost/page", status: 503)
        }
        let status = await status(for: visitor)
        var page = PageFrame(frame)
        if files.hasLeaflet { page.addMap() }
        page.add(
            status, ageSeconds: reporter.watches.last?.ageSeconds, zone: zone,
            json: await stateEvent(status, for: visitor, isResumed: nil).data)
        return PageAnswer(type: PageAnswer.html, body: .bytes(page.bytes))
    }

    /// Sets the cookie and leads to the page without the token in the address; not by a redirect, after which a browser that came from elsewhere
    /// would not send the cookie.
    func welcome(_ ticket: PageTicket, settingCookie cookie: String) -> PageAnswer {
        let html = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/\(ticket.folder)/"><title>waypost</title>\
            <link rel="icon" href="data:,">
            <p><a href="/\(ticket.folder)/">The map page</a></p></html>
            """
        return PageAnswer(type: PageAnswer.html, body: .bytes(Array(html.utf8)), headers: [("Set-Cookie", cookie)])
    }

    /// What somebody without the token sees.
    ///
    /// - Parameter mayComeBack: whether a browser that was let in is led to the folder that it has kept; not from that folder itself.
    func notAdmitted(mayComeBack: Bool) -> PageAnswer {
        let script = mayComeBack ? "<script src=\"\(PageDoor.wayBack)\"></script>" : ""
        let html = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>waypost</title>\
            <link rel="icon" href="data:,">\(script)
            <h1>This page needs its token</h1><p>On the tracker, run <code>waypost page</code> and open the address that it prints. \
            A link for guests may have expired.</p></html>
            """
        return PageAnswer(status: 401, type: PageAnswer.html, body: .bytes(Array(html.utf8)))
    }

    /// The script that leads a browser back.
    func wayBack(_ request: BrowserRequest) async -> PageAnswer {
        await files.answer(request)?.packed(for: request) ?? .error(404, "there is nothing under this address")
    }
}
