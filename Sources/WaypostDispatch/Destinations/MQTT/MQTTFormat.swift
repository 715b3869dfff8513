import Waypost
import WaypostSystem

/// How records are expressed over MQTT: which messages go to which topics.
///
/// ``MQTTDestination`` sends them and decides what counts as a receipt; a format is a value without a socket.
public protocol MQTTFormat: RecordFormat {
    /// The messages for a record, in order; empty when the format cannot express it.
    ///
    /// - Parameters:
    ///   - record: the record to publish.
    ///   - batch: the batch that the record belongs to.
    ///   - receiptTopic: the topic for an application's receipts; nil when none are expected.
    /// - Errors: the device lacks something that the format needs.
    func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage]

    /// What the broker announces about a device while it is connected and when it is gone.
    func presence(of device: String) -> MQTTSettings.Presence

    /// What is told once on each connection, before any record; nothing for most formats.
    func announcements(of device: String) -> [MQTTMessage]

    /// Whether its messages contain their record's id unchanged, so that an application can send receipts.
    var carriesIDs: Bool { get }
}

extension MQTTFormat {
    /// Nothing.
    public func announcements(of device: String) -> [MQTTMessage] { [] }
}

/// A message for each record: its JSON object (``NativeFormat``) with the device's name, to a topic that the record fills in.
public struct NativeMQTTFormat: MQTTFormat {
    /// The topic of records.
    public var topic: MQTTTopic
    /// The topic where the broker announces whether the device is connected, retained.
    public var statusTopic: MQTTTopic
    /// Whether the broker keeps the newest position for later subscribers.
    public var retainsPosition = false

    /// The default topic of the status.
    public static let usualStatusTopic = "waypost/{device}/status"

    /// A format that publishes to these topics.
    public init(topic: MQTTTopic, statusTopic: MQTTTopic) {
        self.topic = topic
        self.statusTopic = statusTopic
    }

    /// It can express everything but fences.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        record.isNative ? .said : .unsaid(reason: "fences are told only where they can be shown")
    }

    /// One message; the broker may keep the last position of a batch of the live lane.
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

    /// Its messages contain ids.
    public var carriesIDs: Bool { true }
}

/// OwnTracks' messages, as its apps publish them: locations to BASE, transitions to BASE/event, health to BASE/status, fences to
/// BASE/waypoints, the will to BASE.
public struct OwnTracksMQTTFormat: MQTTFormat {
    private let format: OwnTracksFormat

    /// A format with the given settings.
    public init(_ settings: OwnTracksFormat.Settings) {
        var settings = settings
        settings.namesTopic = false
        format = OwnTracksFormat(settings)
    }

    /// The verdict of ``OwnTracksFormat``.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict { format.verdict(on: record, at: now) }

    /// No message, one, or two for a pass.
    public func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage] {
        try format.messages(for: record, at: batch.time).map(OwnTracksMQTTFormat.message)
    }

    /// An `lwt` when it is gone, and nothing when it is connected: the next location shows that.
    public func presence(of device: String) -> MQTTSettings.Presence {
        MQTTSettings.Presence(birth: nil, will: OwnTracksMQTTFormat.message(format.will(connectedAt: nil)))
    }

    /// Its consumers do not know receipts.
    public var carriesIDs: Bool { false }

    private static func message(_ message: OwnTracksMessage) -> MQTTMessage {
        MQTTMessage(topic: message.topic, payload: message.payload, isRetained: message.isRetained)
    }
}
