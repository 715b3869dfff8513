import Waypost
import WaypostTestKit

/// A whole input, decoded at once.
struct DecodedNMEA {
    var events: [NMEAEvent] = []
    var counters = NMEACounters()

    /// Decodes sentences given without their checksums.
    init(_ bodies: String..., options: NMEADecoder.Options = NMEADecoder.Options()) {
        self.init(bytes: NMEAText.bytes(bodies), options: options)
    }

    /// Decodes text as it is.
    init(text: String, options: NMEADecoder.Options = NMEADecoder.Options()) {
        self.init(bytes: Array(text.utf8), options: options)
    }

    init(bytes: [UInt8], options: NMEADecoder.Options = NMEADecoder.Options()) {
        var decoder = NMEADecoder(options: options)
        decoder.decode(bytes.span, into: &events)
        decoder.finish(into: &events)
        counters = decoder.counters
    }

    var epochs: [NMEAEpoch] {
        events.compactMap { if case .epoch(let epoch) = $0 { epoch } else { nil } }
    }

    var skies: [SkyView] {
        events.compactMap { if case .sky(let view) = $0 { view } else { nil } }
    }

    /// The fixes, in order.
    var positions: [Position] { epochs.compactMap(\.position) }

    /// The only fix; nil when there is none or more than one.
    var position: Position? { positions.count == 1 ? positions[0] : nil }

    /// The times of all epochs, as RFC 3339; "-" without date.
    var times: [String] { epochs.map { $0.time.map(rfc3339) ?? "-" } }
}

/// A moment in words.
func rfc3339(_ time: UTCTime) -> String {
    var text = TextBuffer()
    text.append(time)
    return text.string
}
