import Waypost
import WaypostPositioning

/// A receiver's settings, for people and for programs.
struct ReceiverLines {
    let state: ReceiverState

    /// One of the settings.
    enum Setting: Equatable {
        case rate, baud, model, gst
    }

    /// The lines for people: all of them, or those of one setting.
    func text(only setting: Setting?) -> [String] {
        var lines: [(setting: Setting?, text: String)] = []
        if setting == nil {
            let names = [state.model, state.firmware, state.protocolVersion.map { "protocol \($0)" }].compactMap { $0 }
            lines.append(
                (nil, "\(oneLine(state.path, limit: 255)): \(state.maker.rawValue) \(oneLine(names.joined(separator: ", "), limit: 160))"))
        }
        let unknown = "not known"
        lines.append((.rate, "rate     " + (state.periodMilliseconds.map(ReceiverLines.rate) ?? unknown)))
        lines.append((.baud, "baud     " + (state.baudRate.map { "\($0)" } ?? "USB, no speed")))
        lines.append((.model, "model    " + (state.movement ?? unknown)))
        lines.append((.gst, "gst      " + (state.sendsGST.map { $0 ? "on" : "off" } ?? unknown)))
        if let sendsNMEA = state.sendsNMEA { lines.append((nil, "nmea     " + (sendsNMEA ? "on" : "off"))) }
        if let antenna = state.antenna { lines.append((nil, "antenna  " + antenna.words)) }
        return lines.filter { setting == nil || $0.setting == setting }.map(\.text)
    }

    private static func rate(_ milliseconds: Int) -> String {
        var text = TextBuffer()
        text.append(1_000 / Double(max(1, milliseconds)), decimals: 2, trimsZeros: true)
        return "\(text.string) Hz, a fix every \(milliseconds) ms"
    }

    /// The line for programs.
    var json: String {
        jsonObject { json in
            json.member("class", "RECEIVER")
            json.member("path", state.path)
            json.member("maker", state.maker.rawValue)
            json.member("product", state.model)
            json.member("firmware", state.firmware)
            json.member("protocol", state.protocolVersion)
            json.member("baud", state.baudRate)
            json.member("period_ms", state.periodMilliseconds)
            json.member("model", state.movement)
            json.member("gst", state.sendsGST)
            json.member("nmea", state.sendsNMEA)
            json.member("antenna", state.antenna?.code)
        }
    }
}

extension UBXSettings.Antenna {
    /// For people.
    fileprivate var words: String {
        switch self {
        case .unsure: "the receiver is finding out"
        case .notWatched: "not watched"
        case .well: "ok"
        case .shortCircuit: "short circuit in the antenna or its cable"
        case .open: "not connected, or its cable is broken"
        }
    }

    /// The name on the wire.
    fileprivate var code: String {
        switch self {
        case .unsure: "unsure"
        case .notWatched: "not_watched"
        case .well: "ok"
        case .shortCircuit: "short"
        case .open: "open"
        }
    }
}
