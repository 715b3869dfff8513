import Waypost
import WaypostSystem

/// OwnTracks over HTTP, as its Recorder (`/pub`), Traccar (port 5144) and Home Assistant take it: one message a request.
///
/// Who we are stands in the head (`X-Limit-U`, `X-Limit-D`) and in each message. Any 2xx is the receipt: the Recorder answers with a list of
/// what others said, mostly empty, Traccar with nothing. What others say is not taken: a tracker does not obey what it is told there.
public struct OwnTracksHTTPFormat: HTTPFormat {
    /// Each has a request of its own; what is confirmed together is written to the disk together.
    public let maximumBatchCount = 100
    private let format: OwnTracksFormat

    /// The format with those settings.
    public init(_ settings: OwnTracksFormat.Settings) {
        var settings = settings
        settings.namesTopic = true
        format = OwnTracksFormat(settings)
    }

    /// That of ``OwnTracksFormat``.
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
