/// The UBX messages that read and change a receiver's settings.
///
/// Receivers up to generation 8 use single-purpose messages (`CFG-PRT`); from protocol 27 on they have keys with values
/// (`CFG-VALSET`), and from protocol 34 on these alone.
/// - Source: u-blox 8 / M8 receiver description (UBX-13003221); ZED-F9P interface description (UBX-18010854), sections 5 and 6.
package enum UBXSettings {
    /// The first protocol version with keys.
    package static let firstProtocolWithKeys = 27.0

    /// The kinds of messages.
    package enum Kinds {
        /// The command was refused; the payload names its kind.
        package static let refused = UBXFrame.Kind(0x05, 0x00)
        /// The command was carried out; the payload names its kind.
        package static let acknowledged = UBXFrame.Kind(0x05, 0x01)
        /// `CFG-PRT`: a port's speed and protocols.
        package static let port = UBXFrame.Kind(0x06, 0x00)
        /// `CFG-MSG`: how often a message is sent.
        package static let message = UBXFrame.Kind(0x06, 0x01)
        /// `CFG-RATE`: how often there is a fix.
        package static let rate = UBXFrame.Kind(0x06, 0x08)
        /// `CFG-CFG`: save the settings.
        package static let keep = UBXFrame.Kind(0x06, 0x09)
        /// `CFG-NAV5`: how the receiver is expected to move.
        package static let navigation = UBXFrame.Kind(0x06, 0x24)
        /// `CFG-VALSET`: values for keys.
        package static let setValues = UBXFrame.Kind(0x06, 0x8a)
        /// `CFG-VALGET`: the values of keys.
        package static let getValues = UBXFrame.Kind(0x06, 0x8b)
        /// `MON-VER`: what the receiver is.
        package static let version = UBXFrame.Kind(0x0a, 0x04)
        /// `MON-HW`: the antenna, up to generation 8.
        package static let hardware = UBXFrame.Kind(0x0a, 0x09)
        /// `MON-RF`: the antenna, from generation 9 on.
        package static let radio = UBXFrame.Kind(0x0a, 0x38)
    }

    /// The keys, and the size of their values in bytes.
    package enum Key: UInt32, Sendable, CaseIterable {
        /// Milliseconds between measurements.
        case measurementPeriod = 0x3021_0001
        /// Measurements per fix.
        case measurementsPerFix = 0x3021_0002
        /// How the receiver is expected to move.
        case dynamicModel = 0x2011_0021
        /// The speed of the first UART.
        case uartBaudRate = 0x4052_0001
        /// Whether the first UART sends UBX.
        case uartSendsUBX = 0x1074_0001
        /// Whether the first UART sends NMEA.
        case uartSendsNMEA = 0x1074_0002
        /// Whether USB sends UBX.
        case usbSendsUBX = 0x1078_0001
        /// Whether USB sends NMEA.
        case usbSendsNMEA = 0x1078_0002
        // Fixes per sentence of a type, 0 for none: on the first UART, on USB.
        case uartRMC = 0x2091_00ac
        case usbRMC = 0x2091_00ae
        case uartVTG = 0x2091_00b1
        case usbVTG = 0x2091_00b3
        case uartGGA = 0x2091_00bb
        case usbGGA = 0x2091_00bd
        case uartGSA = 0x2091_00c0
        case usbGSA = 0x2091_00c2
        case uartGSV = 0x2091_00c5
        case usbGSV = 0x2091_00c7
        case uartGST = 0x2091_00d4
        case usbGST = 0x2091_00d6

        /// The size of its value.
        package var byteCount: Int { Key.byteCount(ofKey: rawValue) ?? 8 }

        /// The size of the value of any key, whether it is one of these or not: bits 28 to 30 say it; nil for a size that is not defined.
        static func byteCount(ofKey number: UInt32) -> Int? {
            switch number >> 28 & 7 {
            case 1, 2: 1
            case 3: 2
            case 4: 4
            case 5: 8
            default: nil
            }
        }
    }

    /// Where settings are stored.
    package enum Place: Sendable {
        /// Valid until the receiver loses power.
        case memory
        /// Kept permanently: battery-backed memory and flash, as far as the receiver has them.
        case everywhere

        fileprivate var layers: UInt8 { self == .memory ? 0x01 : 0x07 }
    }

    // MARK: Asking

    /// Asks for a message of that kind.
    package static func poll(_ kind: UBXFrame.Kind, _ payload: [UInt8] = []) -> UBXFrame { UBXFrame(kind, payload) }

    /// Asks for the current values of keys.
    package static func get(_ keys: [Key]) -> UBXFrame {
        UBXFrame(Kinds.getValues, [0, 0, 0, 0] + keys.flatMap { littleEndian($0.rawValue, 4) })
    }

    /// The values in an answer to ``get(_:)``; unknown keys are left out.
    package static func values(in frame: UBXFrame) -> [Key: UInt64] {
        guard frame.kind == Kinds.getValues, frame.payload.first == 1 else { return [:] }
        var found: [Key: UInt64] = [:]
        var offset = 4
        while let number = frame.number(at: offset, byteCount: 4) {
            let number = UInt32(number)
            guard let byteCount = Key.byteCount(ofKey: number), let value = frame.number(at: offset + 4, byteCount: byteCount) else {
                break
            }
            if let key = Key(rawValue: number) { found[key] = value }
            offset += 4 + byteCount
        }
        return found
    }

    /// The protocol version in an answer to `MON-VER`: `PROTVER=27.11`, `PROTVER 14.00`; nil when it names none.
    package static func protocolVersion(in frame: UBXFrame) -> Double? {
        let name = "PROTVER"
        let text = extensions(in: frame).first { $0.hasPrefix(name) }
        return text.flatMap { Double($0.dropFirst(name.count).drop { $0 == "=" || $0 == " " }) }
    }

    /// The receiver's name for itself in an answer to `MON-VER`: `NEO-M8N`, else its hardware number.
    package static func modelName(in frame: UBXFrame) -> String? {
        if let model = extensions(in: frame).first(where: { $0.hasPrefix("MOD=") }) { return String(model.dropFirst("MOD=".count)) }
        return frame.text(at: 30, byteCount: 10).map { "hardware \($0)" }
    }

    /// The lines of 30 characters after software (30) and hardware (10).
    private static func extensions(in frame: UBXFrame) -> [String] {
        stride(from: 40, to: frame.payload.count, by: 30).compactMap { frame.text(at: $0, byteCount: 30) }
    }

    // MARK: Changing

    /// Sets the values of keys.
    package static func set(_ values: [(key: Key, value: UInt64)], in place: Place = .memory) -> UBXFrame {
        UBXFrame(
            Kinds.setValues,
            [0, place.layers, 0, 0] + values.flatMap { littleEndian($0.key.rawValue, 4) + littleEndian($0.value, $0.key.byteCount) })
    }

    /// The messages that make a receiver of any generation send NMEA again, whichever of its ports the line is.
    ///
    /// Each receiver accepts the messages that it supports and refuses the others; success shows when NMEA arrives. The speed does not change.
    /// gpsd leaves NMEA among the port's protocols, but switches off each of its sentences (seen: 3.22).
    /// - Parameter baudRate: the current speed of the line, in bits per second.
    package static func speakNMEA(baudRate: Int) -> [UBXFrame] {
        let usb: [Key] = [.usbSendsNMEA, .usbRMC, .usbGGA, .usbGSA, .usbGSV, .usbVTG]
        let uart: [Key] = [.uartSendsNMEA, .uartRMC, .uartGGA, .uartGSA, .uartGSV, .uartVTG]
        // Separate messages, because a receiver without one of the ports refuses any message that names it. UBX is switched off: what gpsd
        // asked for would keep coming, and fill a slow line.
        let byKeys = [(usb, Key.usbSendsUBX), (uart, .uartSendsUBX)].map { on, off in set(on.map { ($0, 1) } + [(off, 0)]) }
        let sentences = SentenceType.usual.map { UBXFrame(Kinds.message, [SentenceType.messageClass, $0.rawValue, 1]) }
        return byKeys + sentences + [portProtocols(.usb, baudRate: 0), portProtocols(.uart, baudRate: baudRate)]
    }

    /// The messages that switch UBX answers on or off, besides the NMEA that is sent; which messages come unasked does not change.
    ///
    /// - Parameters:
    ///   - answers: whether the receiver answers in UBX.
    ///   - baudRate: the current speed of the line, in bits per second.
    package static func setAnswering(_ answers: Bool, baudRate: Int) -> [UBXFrame] {
        let byKeys = [(Key.usbSendsNMEA, Key.usbSendsUBX), (.uartSendsNMEA, .uartSendsUBX)].map { nmea, ubx in
            set([(nmea, 1), (ubx, answers ? 1 : 0)])
        }
        let byPorts = [(Port.usb, 0), (.uart, baudRate)].map { port, rate in portProtocols(port, baudRate: rate, sendsUBX: answers) }
        return byKeys + byPorts
    }

    /// A type of NMEA sentence as UBX numbers it, in class F0.
    package enum SentenceType: UInt8, Sendable, CaseIterable {
        case gga = 0
        case gll, gsa, gsv, rmc, vtg
        case gst = 7, zda

        /// The class of all these types.
        package static let messageClass: UInt8 = 0xf0
        /// The sentences that positions are made from.
        static let usual: [SentenceType] = [.rmc, .gga, .gsa, .gsv, .vtg]
    }

    /// A port of the receiver, by its number.
    package enum Port: UInt8, Sendable {
        /// The first UART.
        case uart = 1
        /// USB.
        case usb = 3
    }

    /// `CFG-PRT` that lets a port send NMEA, with or without UBX, and accept UBX, NMEA and RTCM.
    ///
    /// ```
    /// port | 0 | ready pin (2) | mode (4) | speed (4) | protocols in (2) | protocols out (2) | flags (2) | 0 (2)
    /// ```
    private static func portProtocols(_ port: Port, baudRate: Int, sendsUBX: Bool = false) -> UBXFrame {
        // Eight bits, no parity, one stop bit; USB has no mode.
        let mode: UInt32 = port == .uart ? 0x0000_08d0 : 0
        return UBXFrame(
            Kinds.port,
            [port.rawValue, 0, 0, 0] + littleEndian(mode, 4) + littleEndian(UInt32(baudRate), 4) + [
                0x07, 0x00, sendsUBX ? 0x03 : 0x02, 0x00, 0, 0, 0, 0,
            ])
    }

    /// The bytes of a number, lowest first.
    static func littleEndian(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
