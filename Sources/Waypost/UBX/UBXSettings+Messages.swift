/// The single-purpose messages that receivers up to generation 9 support.
extension UBXSettings {
    /// GST among the messages: class and identifier.
    private static let gst: [UInt8] = [0xf0, 0x07]

    /// `CFG-RATE`: sets the time between fixes, aligned to GPS time.
    ///
    /// ```
    /// milliseconds (2) | measurements for each fix (2) | aligned to (2)
    /// ```
    package static func setPeriod(milliseconds: Int) -> UBXFrame {
        UBXFrame(Kinds.rate, littleEndian(UInt16(clamping: milliseconds), 2) + [1, 0, 1, 0])
    }

    /// The milliseconds between fixes in an answer to a poll of `CFG-RATE`.
    package static func periodMilliseconds(in frame: UBXFrame) -> Int? {
        guard frame.kind == Kinds.rate, let period = frame.number(at: 0, byteCount: 2), let count = frame.number(at: 2, byteCount: 2) else {
            return nil
        }
        return Int(period) * max(1, Int(count))
    }

    /// A port's state in an answer to a poll of `CFG-PRT`.
    package struct PortState: Sendable, Equatable {
        /// Its number; see ``Port``.
        package var number: UInt8
        /// Its speed in bits per second; meaningless on USB.
        package var baudRate: Int
        /// Whether it sends UBX.
        package var sendsUBX: Bool
        /// Whether it sends NMEA.
        package var sendsNMEA: Bool
    }

    /// The port in an answer to a poll of `CFG-PRT`.
    package static func port(in frame: UBXFrame) -> PortState? {
        guard frame.kind == Kinds.port, let baudRate = frame.number(at: 8, byteCount: 4), let protocols = frame.number(at: 14, byteCount: 2)
        else { return nil }
        return PortState(
            number: frame.payload[0], baudRate: Int(baudRate), sendsUBX: protocols & 1 != 0, sendsNMEA: protocols & 2 != 0)
    }

    /// Sets another speed on the same port: `CFG-PRT`, with the rest as in the answer to a poll.
    package static func setBaudRate(_ baudRate: Int, ofPortIn frame: UBXFrame) -> UBXFrame {
        var payload = frame.payload
        payload.replaceSubrange(8..<12, with: littleEndian(UInt32(clamping: baudRate), 4))
        return UBXFrame(Kinds.port, payload)
    }

    /// `CFG-NAV5` that changes only the dynamic model.
    ///
    /// ```
    /// what is set (2) | dynamic model | fix mode | ... 36 bytes in all
    /// ```
    package static func setDynamicModel(_ model: UBXDynamicModel) -> UBXFrame {
        UBXFrame(Kinds.navigation, [0x01, 0x00, model.rawValue] + [UInt8](repeating: 0, count: 33))
    }

    /// The dynamic model in an answer to a poll of `CFG-NAV5`.
    package static func dynamicModel(in frame: UBXFrame) -> UBXDynamicModel? {
        guard frame.kind == Kinds.navigation, frame.payload.count > 2 else { return nil }
        return UBXDynamicModel(rawValue: frame.payload[2])
    }

    /// `CFG-MSG` that switches GST on or off on the port that receives it.
    package static func setGST(_ isOn: Bool) -> UBXFrame { UBXFrame(Kinds.message, gst + [isOn ? 1 : 0]) }

    /// Asks whether GST is sent.
    package static var pollGST: UBXFrame { UBXFrame(Kinds.message, gst) }

    /// Whether GST is sent on a port, in an answer to ``pollGST``: one rate per port after class and identifier.
    package static func sendsGST(in frame: UBXFrame, port: Port) -> Bool? {
        let offset = 2 + Int(port.rawValue)
        guard frame.kind == Kinds.message, Array(frame.payload.prefix(2)) == gst, offset < frame.payload.count else { return nil }
        return frame.payload[offset] > 0
    }

    /// `CFG-CFG`: saves all settings where the receiver keeps them without power.
    ///
    /// ```
    /// cleared (4) | saved (4) | loaded (4) | to: battery-backed memory, flash, EEPROM
    /// ```
    package static var keepAll: UBXFrame { UBXFrame(Kinds.keep, [0, 0, 0, 0, 0x1f, 0x1f, 0, 0, 0, 0, 0, 0, 0x07]) }

    /// The state of the antenna as the receiver reports it.
    package enum Antenna: UInt64, Sendable {
        /// The receiver is still finding out.
        case unsure = 0
        /// The receiver cannot know: the antenna's supply is not monitored.
        case notWatched = 1
        /// The antenna works.
        case well = 2
        /// The antenna's supply is short-circuited.
        case shortCircuit = 3
        /// There is no antenna, or its wire is broken.
        case open = 4
    }

    /// The antenna in an answer to a poll of `MON-HW` or `MON-RF`; of several, the first with a fault, else one that is still
    /// ``Antenna/unsure``, else the first.
    package static func antenna(in frame: UBXFrame) -> Antenna? {
        switch frame.kind {
        case Kinds.hardware: return frame.number(at: 20, byteCount: 1).flatMap(Antenna.init)
        case Kinds.radio:
            let count = Int(frame.number(at: 1, byteCount: 1) ?? 0)
            // A block of 24 bytes per antenna: band, flags, antenna, its power, ...
            let states = (0..<count).compactMap { frame.number(at: 4 + 24 * $0 + 2, byteCount: 1).flatMap(Antenna.init) }
            return states.first { $0 == .shortCircuit || $0 == .open } ?? states.first { $0 == .unsure } ?? states.first
        default: return nil
        }
    }
}
