import Waypost
import WaypostSystem

/// OwnTracks over HTTP, as its Recorder (`/pub`), Traccar (port 5144) and Home Assistant accept it: one message per request.
///
/// Our identity is in the headers (`X-Limit-U`, `X-Limit-D`) and in each message. Any 2xx is the receipt: the Recorder answers with a list
/// of other users' messages, mostly empty, Traccar with nothing. These messages are ignored: a tracker does not obey them.
public struct OwnTracksHTTPFormat: HTTPFormat {
    /// Each record has its own request; records that are confirmed together are written to the disk together.
    public let maximumBatchCount = 100
    private let format: OwnTracksFormat

    /// The format with the given settings.
    public init(_ settings: OwnTracksFormat.Settings) {
        var settings = settings
        settings.namesTopic = true
        format = OwnTracksFormat(settings)
    }

    /// The verdict of ``OwnTracksFormat``.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict { format.verdict(on: record, at: now) }

    /// A request for each message.
    public func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        let headers: [HTTPRequest.Header] = [.init("X-Limit-U", format.settings.user), .init("X-Limit-D", format.settings.device)]
        var messages: [HTTPMessage] = []
        for (index, record) in batch.records.enumerated() {
            let own = try format.messages(for: record, at: batch.time)
            for (place, message) in own.enumerated() {
                let settledCount = place + 1 < own.count ? index : index + 1
                messages.append(HTTPMessage(headers: headers, body: message.payload, settledCount: settledCount))
            }
        }
        return messages
    }
}
