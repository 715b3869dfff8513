import Waypost
import WaypostControl

/// The frame of the page with the state of the moment: as JSON for its scripts, so that nothing waits for the first event, its first numbers as text for
/// the time until they run, and all of it as text for browsers without JavaScript.
struct PageFrame {
    private var html: [UInt8]

    /// The frame as it is installed.
    init(_ html: [UInt8]) {
        self.html = html
    }

    /// The bytes to send.
    var bytes: [UInt8] { html }

    /// Says that Leaflet is installed.
    mutating func addMap() { replace("data-leaflet=\"no\"", with: Array("data-leaflet=\"yes\"".utf8)) }

    /// Inserts the state.
    ///
    /// - Parameters:
    ///   - status: what the visitor may see.
    ///   - zone: the clocks of the times in the text.
    ///   - json: the same, as an event of the stream has it.
    mutating func add(_ status: StatusReport, ageSeconds: Int?, zone: TimeZoneRules, json: [UInt8]) {
        replace("<!--state-->", with: Array(PageText(status, ageSeconds: ageSeconds, zone: zone).html.utf8))
        // Nothing in it may end the element.
        let escaped = json.flatMap { $0 == UInt8(ascii: "<") ? Array("\\u003c".utf8) : [$0] }
        replace("id=\"first\">{}", with: Array("id=\"first\">".utf8) + escaped)
        guard let position = status.position else { return }
        let units = status.display?.units ?? .metric
        if let speed = position.speedMetresPerSecond {
            let words = units.speed(speed).split(separator: " ")
            // From ten on without decimals, and nothing as 0, as the scripts write it.
            let number = Double(words[0]).flatMap { $0 >= 9.95 || $0 == 0 ? "\(Int($0.rounded()))" : nil } ?? String(words[0])
            replace("id=\"speed\">&ndash;", with: Array("id=\"speed\">\(number)".utf8))
            replace("id=\"speed-unit\">", with: Array("id=\"speed-unit\">\(words[1])".utf8))
        }
        let accuracy = position.accuracy.map { "&plusmn;" + units.distance($0.radiusMetres) } ?? "accuracy unknown"
        replace("id=\"accuracy\">", with: Array("id=\"accuracy\">\(accuracy)".utf8))
    }

    /// Replaces the first occurrence of a text.
    private mutating func replace(_ text: StaticString, with bytes: [UInt8]) {
        let count = text.utf8CodeUnitCount
        let part = UnsafeBufferPointer(start: text.utf8Start, count: count)
        guard html.count >= count,
            let start = (0...(html.count - count)).first(where: { html[$0] == part[0] && html[$0..<($0 + count)].elementsEqual(part) })
        else { return }
        html.replaceSubrange(start..<(start + count), with: bytes)
    }
}
