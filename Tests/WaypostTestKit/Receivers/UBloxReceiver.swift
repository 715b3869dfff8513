import Foundation
import Synchronization
import Waypost
import WaypostSystem

/// A u-blox receiver on a pseudo terminal, as far as its settings go: it sends NMEA or UBX as set, and answers requests.
///
/// A model of the receiver descriptions, not of one receiver: generation 8 knows messages, 9 keys as well, 10 only keys.
/// - Concurrency: its own thread; everything from anywhere.
public final class UBloxReceiver: Sendable {
    /// The receiver's settings.
    public struct Settings: Sendable, Equatable {
        /// Whether it sends NMEA at all on its port.
        public var sendsNMEA = true
        /// The sentences it then sends.
        package var sentences: Set<UBXSettings.SentenceType> = [.gga, .gll, .gsa, .gsv, .rmc, .vtg]
        /// Whether it sends UBX: its epochs as `NAV-PVT` when ``reportsUBX`` says so, and answers.
        public var sendsUBX = true
        /// Whether its epochs come as UBX.
        public var reportsUBX = false
        /// Milliseconds between epochs.
        public var periodMilliseconds = 1_000
        /// Its speed; at any other one it neither receives nor is understood.
        public var baudRate = 9_600
        /// The movement it is set to expect.
        public var dynamicModel: UInt8 = 0
        /// Whether the settings were stored permanently.
        public var isKept = false
        /// The antenna state in `MON-HW` and `MON-RF`: 2 is good, 3 a short circuit, 4 open.
        public var antenna: UInt8 = 2

        /// The factory settings.
        public init() {}
    }

    /// The receivers it models.
    public enum Generation: Sendable, CaseIterable {
        case eight, nine, ten

        fileprivate var protocolText: String {
            switch self {
            case .eight: "PROTVER=18.00"
            case .nine: "PROTVER=27.12"
            case .ten: "PROTVER=34.10"
            }
        }
    }

    /// The line.
    public let terminal: PseudoTerminal
    private let generation: Generation
    private let isOnUSB: Bool
    private let isDeaf: Bool
    private struct State {
        var settings: Settings
        var isStopped = false
        var heard: [UBXFrame] = []
    }
    private let state: Mutex<State>

    /// A receiver that is switched on.
    ///
    /// - Parameters:
    ///   - generation: the receiver generation.
    ///   - settings: its settings.
    ///   - isOnUSB: whether its line has no speed.
    ///   - isDeaf: whether it ignores all settings.
    public init(_ generation: Generation = .eight, settings: Settings = Settings(), isOnUSB: Bool = true, isDeaf: Bool = false) throws {
        terminal = try PseudoTerminal()
        self.generation = generation
        self.isOnUSB = isOnUSB
        self.isDeaf = isDeaf
        state = Mutex(State(settings: settings))
        Thread { [self] in run() }.start()
    }

    /// The current settings.
    public var settings: Settings { state.withLock { $0.settings } }

    /// The frames it received.
    package var heard: [UBXFrame] { state.withLock { $0.heard } }

    /// Ends it and hangs up the line.
    public func unplug() {
        state.withLock { $0.isStopped = true }
        terminal.unplug()
    }

    private func run() {
        var framer = UBXFramer()
        var index = 0
        var next = MonotonicClock.milliseconds
        while !state.withLock({ $0.isStopped }) {
            var frames: [UBXFrame] = []
            let bytes = terminal.received()
            if isHeard { framer.process(bytes.span, into: &frames) }
            for frame in frames {
                state.withLock { $0.heard.append(frame) }
                if !isDeaf { answer(frame) }
            }
            if MonotonicClock.milliseconds >= next {
                report(index)
                index += 1
                next += Int64(settings.periodMilliseconds)
            }
            usleep(5_000)
        }
    }

    private var isHeard: Bool { isOnUSB || terminal.baudRate == settings.baudRate }

    private func send(_ bytes: [UInt8]) {
        // At another speed than the far end's it arrives as noise; on an unplugged line it is lost.
        try? terminal.write(isHeard ? bytes : bytes.map { $0 &* 31 | 0x80 })
    }

    private func report(_ index: Int) {
        let settings = settings
        let receiver = SimulatedReceiver(periodMilliseconds: settings.periodMilliseconds)
        if settings.sendsNMEA {
            let all = [receiver.sentence("GST,120000.00,8.1,2.0,1.5,30,2.1,1.9,4.0")] + receiver.epoch(index).sentences
            let names = settings.sentences.map { "\($0)".uppercased() }
            send(Array(all.filter { names.contains(String($0.dropFirst(3).prefix(3))) }.joined().utf8))
        }
        if settings.sendsUBX, settings.reportsUBX { send(UBXFrame(.init(0x01, 0x07), [UInt8](repeating: 0, count: 92)).bytes) }
    }

    // MARK: - Answers

    private func reply(_ frame: UBXFrame) { if settings.sendsUBX { send(frame.bytes) } }

    private func acknowledge(_ frame: UBXFrame, _ isDone: Bool = true) {
        let kind = isDone ? UBXSettings.Kinds.acknowledged : UBXSettings.Kinds.refused
        reply(UBXFrame(kind, [frame.kind.messageClass, frame.kind.identifier]))
    }

    private func answer(_ frame: UBXFrame) {
        typealias Kinds = UBXSettings.Kinds
        switch frame.kind {
        case Kinds.version: reply(UBXFrame(Kinds.version, version))
        case Kinds.hardware where generation == .eight:
            var payload = [UInt8](repeating: 0, count: 60)
            (payload[20], payload[21]) = (settings.antenna, 1)
            reply(UBXFrame(Kinds.hardware, payload))
        case Kinds.radio where generation != .eight:
            reply(UBXFrame(Kinds.radio, [0, 1, 0, 0, 0, 0, settings.antenna, 1] + [UInt8](repeating: 0, count: 20)))
        case Kinds.setValues where generation != .eight: acknowledge(frame, setValues(frame))
        case Kinds.getValues where generation != .eight: getValues(frame)
        case Kinds.port, Kinds.rate, Kinds.navigation, Kinds.message, Kinds.keep:
            generation == .ten ? acknowledge(frame, false) : answerMessage(frame)
        default: acknowledge(frame, false)
        }
    }

    private var version: [UInt8] {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            Array((Array(text.utf8) + [UInt8](repeating: 0, count: count)).prefix(count))
        }
        return field("ROM CORE 3.01 (107888)", 30) + field("00080000", 10) + field(generation.protocolText, 30) + field("MOD=NEO-TEST", 30)
    }

    private func number(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func answerMessage(_ frame: UBXFrame) {
        typealias Kinds = UBXSettings.Kinds
        let payload = frame.payload
        let settings = settings
        switch (frame.kind, payload.count) {
        case (Kinds.port, 0), (Kinds.port, 1):
            let protocols = (settings.sendsUBX ? 1 : 0) | (settings.sendsNMEA ? 2 : 0)
            let port = payload.first ?? (isOnUSB ? 3 : 1)
            reply(
                UBXFrame(
                    Kinds.port,
                    [port, 0, 0, 0] + number(0x8d0, 4) + number(isOnUSB ? 0 : settings.baudRate, 4) + [
                        7, 0, UInt8(protocols), 0, 0, 0, 0, 0,
                    ]))
            acknowledge(frame)
        case (Kinds.port, 20):
            acknowledge(frame)
            guard payload[0] == (isOnUSB ? 3 : 1) else { return }
            change { settings in
                settings.sendsUBX = payload[14] & 1 != 0
                settings.sendsNMEA = payload[14] & 2 != 0
                if !isOnUSB { settings.baudRate = Int(frame.number(at: 8, byteCount: 4) ?? 9_600) }
            }
        case (Kinds.rate, 0):
            reply(UBXFrame(Kinds.rate, number(settings.periodMilliseconds, 2) + [1, 0, 1, 0]))
            acknowledge(frame)
        case (Kinds.rate, 6):
            let period = Int(payload[0]) | Int(payload[1]) << 8
            // As real receivers do: a rate that they cannot keep is refused.
            guard period >= 100 else { return acknowledge(frame, false) }
            change { $0.periodMilliseconds = period }
            acknowledge(frame)
        case (Kinds.navigation, 0):
            reply(UBXFrame(Kinds.navigation, [0xff, 0xff, settings.dynamicModel, 3] + [UInt8](repeating: 0, count: 32)))
            acknowledge(frame)
        case (Kinds.navigation, 36):
            if payload[0] & 1 != 0 { change { $0.dynamicModel = payload[2] } }
            acknowledge(frame)
        case (Kinds.message, 2):
            let isSent = payload[0] == UBXSettings.SentenceType.messageClass && settings.sentences.contains { $0.rawValue == payload[1] }
            reply(UBXFrame(Kinds.message, payload + [UInt8](repeating: isSent ? 1 : 0, count: 6)))
            acknowledge(frame)
        case (Kinds.message, 3):
            change { settings in
                if payload[0] == 0x01 { settings.reportsUBX = payload[2] > 0 }
                guard payload[0] == UBXSettings.SentenceType.messageClass, let type = UBXSettings.SentenceType(rawValue: payload[1]) else {
                    return
                }
                settings.sentences.set(type, payload[2] > 0)
            }
            acknowledge(frame)
        case (Kinds.keep, 13):
            change { $0.isKept = true }
            acknowledge(frame)
        default: acknowledge(frame, false)
        }
    }

    private func change(_ body: (inout Settings) -> Void) { state.withLock { body(&$0.settings) } }

    private func setValues(_ frame: UBXFrame) -> Bool {
        let values = UBXSettings.values(in: UBXFrame(UBXSettings.Kinds.getValues, [1, 0, 0, 0] + frame.payload.dropFirst(4)))
        // A receiver knows no keys of ports that it does not have, and refuses the message.
        guard !values.isEmpty, !values.keys.contains(where: { isOfOtherPort($0) }) else { return false }
        if let period = values[.measurementPeriod], period < 100 { return false }
        change { settings in
            for (key, value) in values {
                switch key {
                case .measurementPeriod: settings.periodMilliseconds = Int(value)
                case .measurementsPerFix: break
                case .dynamicModel: settings.dynamicModel = UInt8(truncatingIfNeeded: value)
                case .uartBaudRate: settings.baudRate = Int(value)
                case .uartSendsUBX, .usbSendsUBX: settings.sendsUBX = value != 0
                case .uartSendsNMEA, .usbSendsNMEA: settings.sendsNMEA = value != 0
                default: if let type = type(of: key) { settings.sentences.set(type, value != 0) }
                }
            }
            if frame.payload[1] == 7 { settings.isKept = true }
        }
        return true
    }

    private func isOfOtherPort(_ key: UBXSettings.Key) -> Bool { "\(key)".hasPrefix(isOnUSB ? "uart" : "usb") }

    /// The sentences that a key switches.
    private func type(of key: UBXSettings.Key) -> UBXSettings.SentenceType? {
        UBXSettings.SentenceType.allCases.first { "\(key)".hasSuffix("\($0)".uppercased()) }
    }

    private func getValues(_ frame: UBXFrame) {
        let settings = settings
        var answer: [UInt8] = [1, 0, 0, 0]
        for offset in stride(from: 4, to: frame.payload.count, by: 4) {
            guard let raw = frame.number(at: offset, byteCount: 4), let key = UBXSettings.Key(rawValue: UInt32(raw)) else { continue }
            if isOfOtherPort(key) { return acknowledge(frame, false) }
            let value: Int =
                switch key {
                case .measurementPeriod: settings.periodMilliseconds
                case .measurementsPerFix: 1
                case .dynamicModel: Int(settings.dynamicModel)
                case .uartBaudRate: settings.baudRate
                case .uartSendsUBX, .usbSendsUBX: settings.sendsUBX ? 1 : 0
                case .uartSendsNMEA, .usbSendsNMEA: settings.sendsNMEA ? 1 : 0
                default: type(of: key).map(settings.sentences.contains) == true ? 1 : 0
                }
            answer += number(key.rawValue, 4) + number(value, key.byteCount)
        }
        reply(UBXFrame(UBXSettings.Kinds.getValues, answer))
        acknowledge(frame)
    }
}

extension Set {
    fileprivate mutating func set(_ member: Element, _ isIn: Bool) {
        if isIn { insert(member) } else { remove(member) }
    }
}
