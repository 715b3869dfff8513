import Waypost
import WaypostSystem

/// Tealium Collect over HTTP: the data layer of each event (``TealiumDataLayer``), and the account it belongs to.
///
/// ```
/// /event:       {"tealium_account":..,"tealium_profile":..,"tealium_visitor_id":..,"waypost_id":..,"waypost_time":..,"tealium_event":..,...}
/// /bulk-event:  {"shared":{"tealium_account":..,...},"events":[{"waypost_id":..,"tealium_event":..,...},...]}
/// ```
/// `waypost_id` is the record's id, which identifies repeats, and `waypost_time` is when it happened (RFC 3339); the server's own time is
/// when it received the event. Any 2xx is the receipt.
/// - Source: https://docs.tealium.com/platforms/http-api/endpoint, for the names outside of the data layer and the ten events of a request.
public struct TealiumFormat: HTTPFormat {
    /// The account that the data belongs to.
    public struct Settings: Sendable, Hashable {
        /// The account.
        public var account: String
        /// The profile.
        public var profile = "main"
        /// The data source's key; nil for none.
        public var dataSource: String?
        /// The visitor id of the device; nil for the device's name.
        public var visitorID: String?
        /// The content of each event.
        public var dataLayer: TealiumDataLayer
        /// Whether several events go in one request, in the form of `/bulk-event`.
        public var isBulk = false

        /// The settings of an account.
        public init(account: String, dataLayer: TealiumDataLayer) {
            self.account = account
            self.dataLayer = dataLayer
        }
    }

    /// Records that are confirmed together are written to the disk together.
    public let maximumBatchCount = 100
    /// The most events that `/bulk-event` accepts.
    private static let mostEvents = 10
    private let settings: Settings

    /// A format with the given settings.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// It cannot express health, fences, and fence events without a transition.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        settings.dataLayer.entries(for: record.content).isEmpty ? .unsaid(reason: "Tealium has no event for it") : .said
    }

    /// One request for each event, or for each ten.
    public func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        let shared = shared(batch.device)
        var (messages, waiting) = ([] as [HTTPMessage], [] as [[TealiumDataLayer.Entry]])
        func post(settling count: Int) {
            if !waiting.isEmpty { messages.append(HTTPMessage(body: body(shared, waiting), settledCount: count)) }
            waiting = []
        }
        for (index, record) in batch.records.enumerated() {
            let events = events(of: record, named: Set(shared.map(\.name)), at: batch.time)
            // The two events of a pass stay together.
            if waiting.count + events.count > TealiumFormat.mostEvents { post(settling: index) }
            for event in events {
                if !settings.isBulk { post(settling: index) }
                waiting.append(event)
            }
        }
        post(settling: batch.records.count)
        return messages
    }

    private func events(of record: DispatchRecord, named taken: Set<String>, at now: UTCTime?) -> [[TealiumDataLayer.Entry]] {
        settings.dataLayer.entries(for: record.content).enumerated().map { index, entries in
            // A pass has two.
            var own = [TealiumDataLayer.Entry("waypost_id", index == 0 ? record.id : "\(record.id)-\(index + 1)")]
            if let time = record.bestTime(at: now) { own.append(.init("waypost_time", TealiumFormat.text(of: time))) }
            // An application must not change the account.
            let names = taken.union(own.map(\.name))
            return own + entries.filter { !names.contains($0.name) }
        }
    }

    private func body(_ shared: [TealiumDataLayer.Entry], _ events: [[TealiumDataLayer.Entry]]) -> [UInt8] {
        var text = TextBuffer(capacity: 512 * events.count)
        text.appendJSON { json in
            json.object { json in
                guard settings.isBulk else { return TealiumFormat.append(shared + events.flatMap(\.self), to: &json) }
                json.object("shared") { TealiumFormat.append(shared, to: &$0) }
                json.array("events") { json in
                    for event in events { json.object { TealiumFormat.append(event, to: &$0) } }
                }
            }
        }
        return text.bytes
    }

    private func shared(_ device: String) -> [TealiumDataLayer.Entry] {
        var entries = [
            TealiumDataLayer.Entry("tealium_account", settings.account), .init("tealium_profile", settings.profile),
            .init("tealium_visitor_id", settings.visitorID ?? device),
        ]
        if let source = settings.dataSource { entries.append(.init("tealium_datasource", source)) }
        return entries
    }

    private static func append(_ entries: [TealiumDataLayer.Entry], to json: inout JSONWriter) {
        for entry in entries { json.member(named: entry.name, .string(entry.value)) }
    }

    private static func text(of time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        return text.string
    }
}
