import Waypost
import WaypostSystem

/// Talks to a u-blox receiver: by messages up to generation 8, by keys from protocol 27 on; each change is acknowledged.
struct UBloxDialogue: ReceiverDialogue {
    private typealias Kinds = UBXSettings.Kinds

    private let line: ReceiverLine
    private let version: UBXFrame
    /// Whether it had to be allowed to answer; that permission ends with the dialogue.
    private let wasSilent: Bool
    private let isOnUSB: Bool

    /// A dialogue with a receiver that has answered.
    ///
    /// - Parameters:
    ///   - version: its answer.
    ///   - wasSilent: whether it first had to be allowed to answer.
    init(_ line: ReceiverLine, version: UBXFrame, wasSilent: Bool) throws(ReceiverError) {
        self.line = line
        self.version = version
        self.wasSilent = wasSilent
        let port = try UBloxDialogue.ask(UBXSettings.poll(Kinds.port), answer: Kinds.port, line).flatMap(UBXSettings.port)
        if let port {
            isOnUSB = port.number == UBXSettings.Port.usb.rawValue
        } else {
            // Generation 10 has only keys: a receiver without such a port knows none of the port's keys. With both ports, USB's ids decide.
            let hasUSB = try UBloxDialogue.values([.usbSendsNMEA], line) != nil
            let hasUART = try UBloxDialogue.values([.uartSendsNMEA], line) != nil
            isOnUSB = hasUSB && (!hasUART || line.isOfVendor(GNSSProducts.ublox))
        }
    }

    /// Restores the receiver's output settings.
    func end() throws(ReceiverError) {
        guard wasSilent else { return }
        try line.send(UBXSettings.setAnswering(false, baudRate: line.baudRate).flatMap(\.bytes))
        try line.pause(for: .milliseconds(100))
    }

    // MARK: Asking

    private static func ask(_ question: UBXFrame, answer: UBXFrame.Kind, _ line: ReceiverLine) throws(ReceiverError) -> UBXFrame? {
        for _ in 0..<2 {
            try line.send(question.bytes)
            let frame = try line.frame { $0.kind == answer || refuses($0, question.kind) }
            if let frame { return frame.kind == answer ? frame : nil }
        }
        return nil
    }

    private static func refuses(_ frame: UBXFrame, _ kind: UBXFrame.Kind) -> Bool {
        frame.kind == Kinds.refused && frame.payload == [kind.messageClass, kind.identifier]
    }

    /// The values of keys; nil when the receiver refuses.
    private static func values(_ keys: [UBXSettings.Key], _ line: ReceiverLine) throws(ReceiverError) -> [UBXSettings.Key: UInt64]? {
        let answer = try ask(UBXSettings.get(keys), answer: Kinds.getValues, line)
        return answer.map(UBXSettings.values)
    }

    private var protocolVersion: Double { UBXSettings.protocolVersion(in: version) ?? 0 }
    private var hasKeys: Bool { protocolVersion >= UBXSettings.firstProtocolWithKeys }
    private var port: UBXSettings.Port { isOnUSB ? .usb : .uart }
    private var gstKey: UBXSettings.Key { isOnUSB ? .usbGST : .uartGST }

    func state() throws(ReceiverError) -> ReceiverState {
        var state = ReceiverState(path: line.path, maker: .ublox)
        state.model = UBXSettings.modelName(in: version)
        state.firmware = version.text(at: 0, byteCount: 30)
        state.protocolVersion = UBXSettings.protocolVersion(in: version)
        state.baudRate = isOnUSB ? nil : line.baudRate
        if hasKeys {
            let sendsNMEA: UBXSettings.Key = isOnUSB ? .usbSendsNMEA : .uartSendsNMEA
            let keys: [UBXSettings.Key] = [.measurementPeriod, .measurementsPerFix, .dynamicModel, gstKey, sendsNMEA]
            let values = try UBloxDialogue.values(keys, line) ?? [:]
            state.periodMilliseconds = values[.measurementPeriod].map { Int($0) * Int(max(1, values[.measurementsPerFix] ?? 1)) }
            state.movement = values[.dynamicModel].flatMap { UBXDynamicModel(rawValue: UInt8(truncatingIfNeeded: $0))?.name }
            state.sendsGST = values[gstKey].map { $0 > 0 }
            state.sendsNMEA = values[sendsNMEA].map { $0 > 0 }
        } else {
            state.periodMilliseconds = try poll(Kinds.rate).flatMap(UBXSettings.periodMilliseconds)
            state.movement = try poll(Kinds.navigation).flatMap(UBXSettings.dynamicModel)?.name
            let gst = try UBloxDialogue.ask(UBXSettings.pollGST, answer: Kinds.message, line)
            state.sendsGST = gst.flatMap { UBXSettings.sendsGST(in: $0, port: port) }
            state.sendsNMEA = try poll(Kinds.port).flatMap(UBXSettings.port)?.sendsNMEA
        }
        state.antenna = try poll(hasKeys ? Kinds.radio : Kinds.hardware).flatMap(UBXSettings.antenna)
        return state
    }

    private func poll(_ kind: UBXFrame.Kind) throws(ReceiverError) -> UBXFrame? {
        try UBloxDialogue.ask(UBXSettings.poll(kind), answer: kind, line)
    }

    // MARK: Changing

    func apply(_ change: ReceiverChange, keeps: Bool) throws(ReceiverError) {
        let place: UBXSettings.Place = keeps ? .everywhere : .memory
        switch change {
        case .period(let milliseconds):
            let values = [(UBXSettings.Key.measurementPeriod, UInt64(milliseconds)), (.measurementsPerFix, 1)]
            try command(
                hasKeys ? UBXSettings.set(values, in: place) : UBXSettings.setPeriod(milliseconds: milliseconds),
                "a fix every \(milliseconds) ms")
        case .movement(let name):
            guard let model = UBXDynamicModel(name: name) else {
                let known = UBXDynamicModel.allCases.map(\.name).joined(separator: ", ")
                throw .impossible("\(line.path): a u-blox knows no model \(name); it knows \(known)")
            }
            try command(
                hasKeys ? UBXSettings.set([(.dynamicModel, UInt64(model.rawValue))], in: place) : UBXSettings.setDynamicModel(model),
                "the model \(name)")
        case .gst(let isOn):
            try command(hasKeys ? UBXSettings.set([(gstKey, isOn ? 1 : 0)], in: place) : UBXSettings.setGST(isOn), "GST")
        case .baudRate(let baudRate): try changeSpeed(to: baudRate, place)
        }
        if keeps, !hasKeys { try command(UBXSettings.keepAll, "keeping the settings") }
    }

    /// Sends a change and waits for its acknowledgement.
    private func command(_ frame: UBXFrame, _ what: String) throws(ReceiverError) {
        for _ in 0..<2 {
            try line.send(frame.bytes)
            let about = [frame.kind.messageClass, frame.kind.identifier]
            let answer = try line.frame { [Kinds.acknowledged, Kinds.refused].contains($0.kind) && $0.payload == about }
            guard let answer else { continue }
            if answer.kind == Kinds.acknowledged { return }
            throw .refused("\(line.path): the receiver refuses \(what)")
        }
        throw .refused("\(line.path): the receiver does not answer to \(what)")
    }

    /// The acknowledgement may come at either speed: an answer at the new speed decides.
    private func changeSpeed(to baudRate: Int, _ place: UBXSettings.Place) throws(ReceiverError) {
        if isOnUSB { throw .impossible("\(line.path): the receiver is on USB, which has no speed") }
        let old = line.baudRate
        if hasKeys {
            try line.send(UBXSettings.set([(.uartBaudRate, UInt64(baudRate))], in: place).bytes)
        } else {
            guard let port = try poll(Kinds.port) else { throw .refused("\(line.path): the receiver does not describe its port") }
            try line.send(UBXSettings.setBaudRate(baudRate, ofPortIn: port).bytes)
        }
        try line.pause(for: .milliseconds(300))
        try line.setBaudRate(baudRate)
        if try UBloxDialogue.ask(UBXSettings.poll(Kinds.version), answer: Kinds.version, line) != nil { return }
        try line.setBaudRate(old)
        throw .refused("\(line.path): the receiver does not answer at \(baudRate) baud")
    }
}
