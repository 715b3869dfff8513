import Testing
import Waypost

/// The messages that read and change a u-blox receiver's settings.
@Suite struct UBXSettingsTests {
    private func version(_ lines: String...) -> UBXFrame {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            Array((Array(text.utf8) + [UInt8](repeating: 0, count: count)).prefix(count))
        }
        return UBXFrame(
            UBXSettings.Kinds.version, field("ROM CORE 3.01 (107888)", 30) + field("00080000", 10) + lines.flatMap { field($0, 30) })
    }

    @Test(arguments: [
        (["FWVER=SPG 3.01", "PROTVER=18.00", "MOD=NEO-M8N"], 18.0, "NEO-M8N"), (["PROTVER 14.00"], 14, "hardware 00080000"),
        (["FWVER=HPG 1.13", "PROTVER=27.12", "MOD=ZED-F9P"], 27.12, "ZED-F9P"),
    ]) func readsTheProtocolAndTheModel(lines: [String], protocolVersion: Double, model: String) {
        func field(_ text: String) -> [UInt8] { Array((Array(text.utf8) + [UInt8](repeating: 0, count: 30)).prefix(30)) }
        let frame = UBXFrame(UBXSettings.Kinds.version, version().payload + lines.flatMap(field))
        #expect(UBXSettings.protocolVersion(in: frame) == protocolVersion)
        #expect(UBXSettings.modelName(in: frame) == model)
    }

    @Test func knowsNoProtocolOfAReceiverThatSaysNone() {
        #expect(UBXSettings.protocolVersion(in: version()) == nil)
        #expect(UBXSettings.modelName(in: UBXFrame(UBXSettings.Kinds.version, [1, 2])) == nil)
    }

    @Test func setsAndReadsValuesByKey() {
        let frame = UBXSettings.set([(.measurementPeriod, 200), (.dynamicModel, 4)], in: .everywhere)
        #expect(frame.kind == UBXFrame.Kind(0x06, 0x8a))
        #expect(frame.payload == [0, 7, 0, 0, 0x01, 0x00, 0x21, 0x30, 200, 0, 0x21, 0x00, 0x11, 0x20, 4])
        let answer = UBXFrame(UBXSettings.Kinds.getValues, [1] + frame.payload.dropFirst())
        #expect(UBXSettings.values(in: answer) == [.measurementPeriod: 200, .dynamicModel: 4])
        let cut = UBXFrame(UBXSettings.Kinds.getValues, Array(answer.payload.dropLast(2)))
        #expect(UBXSettings.values(in: cut) == [.measurementPeriod: 200])
        #expect(UBXSettings.get([.uartBaudRate]).payload == [0, 0, 0, 0, 0x01, 0x00, 0x52, 0x40])
    }

    @Test func readsOnBehindUnknownKeys() {
        // One of each size in bits 28 to 30 of a key that is not ours, between two that are; then one of a size that is not defined.
        let ours = { (frame: UBXFrame) in frame.payload.dropFirst(4) }
        let unknown: [[UInt8]] = [
            [1, 0, 0x31, 0x10, 1], [1, 0, 0x31, 0x20, 9], [1, 0, 0x31, 0x30, 9, 9], [1, 0, 0x31, 0x40, 9, 9, 9, 9],
            [1, 0, 0x31, 0x50, 9, 9, 9, 9, 9, 9, 9, 9],
        ]
        let payload =
            [1, 0, 0, 0] + ours(UBXSettings.set([(.measurementPeriod, 200)])) + unknown.joined()
            + ours(UBXSettings.set([(.dynamicModel, 4)])) + [1, 0, 0x31, 0x60, 9] + ours(UBXSettings.set([(.uartRMC, 1)]))
        let answer = UBXFrame(UBXSettings.Kinds.getValues, payload)
        #expect(UBXSettings.values(in: answer) == [.measurementPeriod: 200, .dynamicModel: 4])
    }

    @Test func givesEveryKeyTheSizeThatItsNumberSays() {
        #expect(UBXSettings.Key.allCases.map(\.byteCount) == [2, 2, 1, 4] + [Int](repeating: 1, count: 16))
    }

    @Test func readsAndWritesTheMessagesOfOnePurpose() {
        typealias Kinds = UBXSettings.Kinds
        #expect(UBXSettings.periodMilliseconds(in: UBXSettings.setPeriod(milliseconds: 500)) == 500)
        #expect(UBXSettings.periodMilliseconds(in: UBXFrame(Kinds.rate, [100, 0, 5, 0, 1, 0])) == 500)
        #expect(UBXSettings.periodMilliseconds(in: UBXFrame(Kinds.rate, [1])) == nil)
        let model = UBXSettings.setDynamicModel(.automotive)
        #expect(model.payload.count == 36 && model.payload.prefix(3) == [1, 0, 4] && UBXSettings.dynamicModel(in: model) == .automotive)
        #expect(UBXSettings.setGST(true).payload == [0xf0, 0x07, 1])
        #expect(UBXSettings.sendsGST(in: UBXFrame(Kinds.message, [0xf0, 7, 0, 0, 0, 1, 0, 0]), port: .usb) == true)
        #expect(UBXSettings.sendsGST(in: UBXFrame(Kinds.message, [0xf0, 7, 0, 0, 0, 1, 0, 0]), port: .uart) == false)
        let port = UBXFrame(Kinds.port, [1, 0, 0, 0, 0xd0, 8, 0, 0, 0x80, 0x25, 0, 0, 7, 0, 3, 0, 0, 0, 0, 0])
        let state = UBXSettings.port(in: port)
        #expect(state?.number == 1 && state?.baudRate == 9_600 && state?.sendsUBX == true && state?.sendsNMEA == true)
        let faster = UBXSettings.setBaudRate(115_200, ofPortIn: port)
        #expect(UBXSettings.port(in: faster)?.baudRate == 115_200 && faster.payload.suffix(8) == port.payload.suffix(8))
        #expect(UBXSettings.setAnswering(true, baudRate: 9_600).last.flatMap(UBXSettings.port)?.sendsUBX == true)
    }

    @Test func readsTheAntennaOfEveryBand() {
        typealias Kinds = UBXSettings.Kinds
        var hardware = [UInt8](repeating: 0, count: 60)
        hardware[20] = 4
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.hardware, hardware)) == .open)
        let block = { (state: UInt8) in [0, 0, state] + [UInt8](repeating: 0, count: 21) }
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.radio, [0, 2, 0, 0] + block(2) + block(3))) == .shortCircuit)
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.radio, [0, 2, 0, 0] + block(2))) == .well)
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.radio, [0, 2, 0, 0] + block(2) + block(0))) == .unsure)
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.radio, [0, 2, 0, 0] + block(0) + block(4))) == .open)
        #expect(UBXSettings.antenna(in: UBXFrame(Kinds.radio, [])) == nil)
    }

    @Test func bringsBackNMEAOnEveryPortAndGeneration() {
        let frames = UBXSettings.speakNMEA(baudRate: 9_600)
        #expect(frames.map(\.kind.description) == ["06 8A", "06 8A"] + [String](repeating: "06 01", count: 5) + ["06 00", "06 00"])
        #expect(frames[1].payload.prefix(9) == [0, 1, 0, 0, 0x02, 0x00, 0x74, 0x10, 1])
        #expect(frames[1].payload.suffix(5) == [0x01, 0x00, 0x74, 0x10, 0], "UBX goes off")
        // RMC, GGA, GSA, GSV, VTG, on the port that the message comes by.
        #expect(frames[2...6].map(\.payload) == [[0xf0, 4, 1], [0xf0, 0, 1], [0xf0, 2, 1], [0xf0, 3, 1], [0xf0, 5, 1]])
        let uart = frames[8]
        #expect(uart.payload.count == 20 && uart.payload[0] == 1)
        #expect(uart.number(at: 8, byteCount: 4) == 9_600)
        #expect(uart.number(at: 14, byteCount: 2) == 2, "NMEA alone goes out")
        #expect(frames[7].payload[0] == 3)
    }
}
