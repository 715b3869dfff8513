import Waypost
import WaypostControl
import WaypostGeofences
import WaypostPositioning
import WaypostRecording

// What is asked of the log. In private mode nothing of it is shown.
extension PageRouter {
    /// `/api/v1/track?since=TIME&until=TIME&box=SOUTH,WEST,NORTH,EAST&tolerance=METRES`.
    func track(_ request: BrowserRequest, for visitor: PageVisitor) async -> PageAnswer {
        let start: UTCTime
        let end: UTCTime?
        var box: BoundingBox?
        var tolerance = 5.0
        do throws(PageOptionError) {
            (start, end) = try span(request, for: visitor)
            box = try PageRouter.box(request)
            if let text = request.query["tolerance"] {
                guard let metres = Double(text), (0...100_000).contains(metres) else {
                    throw PageOptionError("tolerance must be metres, from 0 to 100000")
                }
                tolerance = metres
            }
        } catch { return .error(400, error.description) }
        if let refusal = await refusalInPrivateMode { return refusal }
        var track = PageTrack(toleranceMetres: tolerance, box: box)
        if let log {
            do throws(RecordingError) {
                track = try await log.track(from: start, to: end, box: box, toleranceMetres: tolerance)
            } catch { return .error(500, DaemonFailure(error).lines.joined(separator: "; ")) }
        }
        return .object("TRACK") { [track] json in
            json.member("since", start)
            json.member("until", end)
            json.member("logged", log != nil)
            track.write(to: &json, isPast: end != nil)
        }
    }

    /// `/api/v1/events?since=TIME&until=TIME`: from the log, and the last ones.
    func events(_ request: BrowserRequest, for visitor: PageVisitor) async -> PageAnswer {
        let start: UTCTime
        let end: UTCTime?
        do throws(PageOptionError) { (start, end) = try span(request, for: visitor) } catch { return .error(400, error.description) }
        if let refusal = await refusalInPrivateMode { return refusal }
        var events: [TrackerEvent]
        if let log {
            do throws(RecordingError) { events = try await log.events(from: start, to: end) } catch {
                return .error(500, DaemonFailure(error).lines.joined(separator: "; "))
            }
        } else {
            events = []
        }
        // The log may be off, or may not have the last ones yet.
        let known = Set(events.map(\.id))
        events += await reporter.fences.lastEvents.filter { event in
            guard !known.contains(event.id) else { return false }
            guard let time = event.time else { return log == nil }
            return time >= start && end.map { time < $0 } ?? true
        }
        return .object("EVENTS") { json in json.array("events") { json in for event in events { json.element(event) } } }
    }

    /// `/api/v1/logs`: the finished tracks.
    func logFiles() async -> PageAnswer {
        if let refusal = await refusalInPrivateMode { return refusal }
        var found: [PageLog.File] = []
        if let log {
            do throws(RecordingError) { found = try await log.files() } catch {
                return .error(500, DaemonFailure(error).lines.joined(separator: "; "))
            }
        }
        return .object("LOGS") { json in
            json.array("logs") { json in
                for file in found {
                    json.object { json in
                        json.member("name", file.name)
                        json.member("first", file.firstTime)
                        json.member("bytes", file.byteCount)
                    }
                }
            }
        }
    }

    /// `/api/v1/logs/NAME`: a finished track.
    func logFile(named name: String) async -> PageAnswer {
        if let refusal = await refusalInPrivateMode { return refusal }
        guard let log else { return .error(404, "the log is off") }
        do throws(RecordingError) {
            guard let file = try await log.file(named: name) else { return .error(404, "there is no track of that name") }
            return PageAnswer(
                type: "application/gpx+xml", body: .file(file), headers: [("Content-Disposition", "attachment; filename=\"\(name)\"")])
        } catch {
            return .error(500, DaemonFailure(error).lines.joined(separator: "; "))
        }
    }

    /// `/api/v1/gpx?since=TIME&until=TIME`: a stretch of the log.
    func gpx(_ request: BrowserRequest) async -> PageAnswer {
        let start: UTCTime
        let end: UTCTime?
        do throws(PageOptionError) { (start, end) = try span(request, for: .owner) } catch { return .error(400, error.description) }
        if let refusal = await refusalInPrivateMode { return refusal }
        guard let log else { return .error(404, "the log is off") }
        do throws(RecordingError) {
            let track = try await log.gpx(from: start, to: end)
            // The page names it after the day of its own zone.
            return PageAnswer(type: "application/gpx+xml", body: .track(track), headers: [("Content-Disposition", "attachment")])
        } catch {
            return .error(500, DaemonFailure(error).lines.joined(separator: "; "))
        }
    }

    /// Sends a stretch of the log; returns whether all of it was sent: not when private mode has begun meanwhile.
    func send(_ track: PageGPX, _ send: @Sendable ([UInt8]) async -> Bool) async -> Bool {
        do throws(RecordingError) {
            while let piece = try await track.next() {
                if await reporter.source.isPrivate { return false }
                guard await send(piece) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    private var refusalInPrivateMode: PageAnswer? {
        get async { await reporter.source.isPrivate ? .error(403, "private mode is on") : nil }
    }

    /// How far back a guest sees: the longest day, that on which the clocks are put back.
    private static let guestMilliseconds: Int64 = 25 * 3_600_000

    /// The wanted time: by default from midnight UTC on; of guests nothing before the current day, wherever they are.
    private func span(_ request: BrowserRequest, for visitor: PageVisitor) throws(PageOptionError) -> (start: UTCTime, end: UTCTime?) {
        let day: Int64 = 86_400_000
        let now = (now ?? UTCTime(millisecondsSince1970: 0)).millisecondsSince1970
        let midnight = UTCTime(millisecondsSince1970: now / day * day)
        let start = try PageRouter.time("since", request) ?? midnight
        let first = UTCTime(millisecondsSince1970: now - PageRouter.guestMilliseconds)
        return (visitor.isOwner ? start : max(start, first), try PageRouter.time("until", request))
    }

    private static func time(_ name: String, _ request: BrowserRequest) throws(PageOptionError) -> UTCTime? {
        guard let text = request.query[name] else { return nil }
        guard let time = UTCTime(rfc3339: text) else { throw PageOptionError("\(name) must be a time such as 2026-11-25T13:00:00Z") }
        return time
    }

    /// The wanted box; nil for everything.
    static func box(_ request: BrowserRequest) throws(PageOptionError) -> BoundingBox? {
        guard let text = request.query["box"] else { return nil }
        let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard sides.count == 4, let south = sides[0], let west = sides[1], let north = sides[2], let east = sides[3],
            let box = BoundingBox(southDegrees: south, westDegrees: west, northDegrees: north, eastDegrees: east)
        else { throw PageOptionError("box must be SOUTH,WEST,NORTH,EAST in degrees") }
        return box
    }
}

/// An option of a request that makes no sense, for people.
struct PageOptionError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
