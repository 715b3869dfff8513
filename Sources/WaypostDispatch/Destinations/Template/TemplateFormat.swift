import Waypost
import WaypostSystem

/// Requests defined by a person, with fields that each record fills in (``RecordTemplate``): for PhoneTrack, the servers of uLogger and
/// GPSLogger, and many others.
///
/// ```
/// GET /log/gpslogger/TOKEN/van?lat=47.1&lon=9.5&timestamp=1777692302&speed=13.5&acc=5       without a body
/// POST /in, Content-Type application/x-www-form-urlencoded or application/json              with one
/// ```
/// - Units: degrees, metres (altitude above mean sea level; accuracy at 68 %, whole, rounded up), metres per second or km/h; `time` in UTC with Z.
/// - How records are expressed: a position is a request. Events and track calls are too, if `{kind}` distinguishes them and they have a
///   place; otherwise they cannot be expressed. A record without a time waits until the time of day is known, if the template has a time.
/// - The receipt: any 2xx that is not a web page and contains the expected text.
struct TemplateFormat: HTTPFormat {
    /// The parts of a request.
    struct Request: Sendable, Hashable {
        /// Scheme and host, then the path.
        var path: RecordTemplate
        /// The part after the `?`; nil for none.
        var query: RecordTemplate?
        /// The body of a POST; nil for a GET.
        var body: RecordTemplate?
        /// Whether the body is JSON rather than a form.
        var isJSON = false
        /// The text that a good answer contains; empty = any.
        var expected = ""

        /// A request to the given URL.
        init(url: String) throws(RecordTemplate.UnknownField) {
            let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = try RecordTemplate(parts[0])
            if parts.count == 2 { query = try RecordTemplate(parts[1]) }
        }

        /// Whether the field occurs anywhere.
        func has(_ field: RecordTemplate.Field) -> Bool { [path, query, body].contains { $0?.has(field) == true } }
    }

    /// Each record has its own request; records that are confirmed together are written to the disk together.
    let maximumBatchCount = 100
    let request: Request
    let device: String
    /// The value of `{token}`.
    let token: String?

    func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        switch record.content {
        case .position: break
        case .event, .track:
            if !request.has(.kind) { return .unsaid(reason: "it gets positions only: its template has no {kind}") }
            if record.position == nil { return .unsaid(reason: "a template takes no event without a position") }
        case .health, .waypoints: return .unsaid(reason: "a template takes positions and events only")
        }
        let needsTime = [RecordTemplate.Field.time, .timestamp, .timestampMilliseconds].contains(where: request.has)
        return needsTime ? record.verdictWithTime(at: now) : .said
    }

    func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        batch.records.enumerated().compactMap { index, record in
            verdict(on: record, at: batch.time) == .said ? message(for: record, at: batch.time, settling: index + 1) : nil
        }
    }

    func objection(to response: HTTPResponse) -> String? {
        response.body.contains(bytes: request.expected.utf8) ? nil : "the answer does not hold \(quoted(request.expected))"
    }

    private func message(for record: DispatchRecord, at now: UTCTime?, settling count: Int) -> HTTPMessage {
        var given: [String] = []
        let values = { (field: RecordTemplate.Field) in
            let value = self.value(of: field, record, at: now)
            if let value { given.append(value.plain) }
            return value
        }
        var url = request.path.path(values)
        if let query = request.query?.form(values), !query.isEmpty { url += "?\(query)" }
        let type = request.isJSON ? "application/json" : "application/x-www-form-urlencoded"
        let body = request.body.map { Array((request.isJSON ? $0.json(values) : $0.form(values)).utf8) }
        var message = HTTPMessage(contentType: type, body: body ?? [], settledCount: count)
        message.method = body == nil ? "GET" : "POST"
        (message.url, message.hidden) = (url, given)
        return message
    }

    private func value(of field: RecordTemplate.Field, _ record: DispatchRecord, at now: UTCTime?) -> RecordTemplate.Value? {
        let (place, time) = (record.position, record.bestTime(at: now))
        return switch field {
        case .lat: TemplateFormat.number(place?.coordinate.latitudeDegrees)
        case .lon: TemplateFormat.number(place?.coordinate.longitudeDegrees)
        case .time: time.map { .text(TemplateFormat.text(of: $0)) }
        case .timestamp: time.map { .number("\(Int64($0.secondsSince1970))") }
        case .timestampMilliseconds: time.map { .number("\($0.millisecondsSince1970)") }
        case .altitude: TemplateFormat.number(place?.altitudeMSLMetres)
        case .accuracy: TemplateFormat.number(place?.accuracy?.radiusMetres.rounded(.up))
        case .speed: TemplateFormat.number(place?.speedMetresPerSecond)
        case .speedKilometresPerHour: TemplateFormat.number(place?.speedMetresPerSecond.map { ($0 * 3_600).rounded() / 1_000 })
        case .course: TemplateFormat.number(place?.writtenCourseDegrees)
        case .hdop: TemplateFormat.number(place?.quality.hdop)
        case .device: .text(device)
        case .id: .text(record.id)
        case .kind: .text(record.kind)
        case .name: record.name.map { .text($0) }
        case .token: token.map { .text($0) }
        }
    }

    private static func number(_ value: Double?) -> RecordTemplate.Value? {
        guard let value, value.isFinite else { return nil }
        var text = TextBuffer(capacity: 24)
        text.append(shortest: value)
        return .number(text.string)
    }

    private static func text(of time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        return text.string
    }
}
