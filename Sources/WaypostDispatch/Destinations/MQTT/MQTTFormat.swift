import Waypost
import WaypostSystem

/// How records are said over MQTT: which messages, to which topics.
///
/// ``MQTTDestination`` sends them and knows what a receipt is; a format is a value without a socket.
public protocol MQTTFormat: RecordFormat {
    /// What is published for a record, in order; empty when the format has no word for it.
    ///
    /// - Parameters:
    ///   - record: what is published.
    ///   - batch: the batch that it is sent with.
    ///   - receiptTopic: where an application is to say that it has the record; nil when nobody asks.
    /// - Errors: the box lacks something that the format needs.
    func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage]

    /// What the broker is to say of a device while it is connected and when it is gone.
    func presence(of device: String) -> MQTTSettings.Presence

    /// Whether its messages say their record's id as it is, so that an application can give receipts.
    var carriesIDs: Bool { get }
}

/// A message for each record: its JSON object (``NativeFormat``) with the device's name, to a topic that the record fills in.
public struct NativeMQTTFormat: MQTTFormat {
    /// Where records go.
    public var topic: MQTTTopic
    /// Where the broker says whether the device is connected, retained.
    public var statusTopic: MQTTTopic
    /// Whether the broker keeps the newest position for those who come later.
    public var retainsPosition = false

    /// The usual topic of the status.
    public static let usualStatusTopic = "waypost/{device}/status"

    /// A format that sends there.
    public init(topic: MQTTTopic, statusTopic: MQTTTopic) {
        self.topic = topic
        self.statusTopic = statusTopic
    }

    /// Fences have none.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        record.isNative ? .said : .unsaid(reason: "fences are told only where they can be shown")
    }

    /// One message; of positions, the last one of a batch of the live lane may be kept by the broker.
    public func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage] {
        guard record.isNative else { return [] }
        let isNewest = record.lane == .live && record.id == batch.records.last?.id
        return [
            MQTTMessage(
                topic: topic.topic(for: record, device: batch.device),
                payload: NativeFormat.message(for: record, of: batch, receiptTopic: receiptTopic), isRetained: retainsPosition && isNewest)
        ]
    }

    /// `{"class":"STATUS","device":"van-7","status":"online"}`, or `offline`.
    public func presence(of device: String) -> MQTTSettings.Presence {
        func message(_ word: String) -> MQTTMessage {
            var text = TextBuffer(capacity: 128)
            text.appendJSON { json in
                json.object { json in
                    json.member("class", "STATUS")
                    json.member("device", device)
                    json.member("status", word)
                }
            }
            return MQTTMessage(topic: statusTopic.topic(device: device), payload: text.bytes, isRetained: true)
        }
        return MQTTSettings.Presence(birth: message("online"), will: message("offline"))
    }

    /// They do.
    public var carriesIDs: Bool { true }
}

/// OwnTracks' messages, as its apps publish them: locations to BASE, transitions to BASE/event, health to BASE/status, fences to BASE/waypoints, the
/// will to BASE.
public struct OwnTracksMQTTFormat: MQTTFormat {
    private let format: OwnTracksFormat

    /// A format with those settings.
    public init(_ settings: OwnTracksFormat.Settings) {
        var settings = settings
        settings.namesTopic = false
        format = OwnTracksFormat(settings)
    }

    /// That of ``OwnTracksFormat``.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict { format.verdict(on: record, at: now) }

    /// None, one, or, of a pass, two messages.
    public func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage] {
        try format.messages(for: record, at: batch.time).map(OwnTracksMQTTFormat.message)
    }

    /// An `lwt` when it is gone, and nothing when it is there: the next location says so.
    public func presence(of device: String) -> MQTTSettings.Presence {
        MQTTSettings.Presence(birth: nil, will: OwnTracksMQTTFormat.message(format.will(connectedAt: nil)))
    }

    /// Who consumes them knows nothing of receipts.
    public var carriesIDs: Bool { false }

    private static func message(_ message: OwnTracksMessage) -> MQTTMessage {
        MQTTMessage(topic: message.topic, payload: message.payload, isRetained: message.isRetained)
    }
}
