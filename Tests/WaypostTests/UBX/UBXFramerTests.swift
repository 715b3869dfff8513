import Testing
import Waypost
import WaypostTestKit

/// Frames of u-blox's binary protocol among whatever else is on a line.
@Suite struct UBXFramerTests {
    private func frames(_ bytes: [UInt8]) -> [UBXFrame] {
        var framer = UBXFramer()
        var frames: [UBXFrame] = []
        framer.process(bytes.span, into: &frames)
        return frames
    }

    /// The example of the receiver description: a poll of `CFG-PRT`, whose checksum is 06 18.
    @Test func writesTheFramesOfTheReceiverDescription() {
        #expect(UBXSettings.poll(UBXSettings.Kinds.port).bytes == [0xb5, 0x62, 0x06, 0x00, 0x00, 0x00, 0x06, 0x18])
        #expect(UBXSettings.poll(UBXSettings.Kinds.version).bytes == [0xb5, 0x62, 0x0a, 0x04, 0x00, 0x00, 0x0e, 0x34])
        // As published for switching a NEO-M8's measurements to five a second.
        let rate = UBXFrame(UBXSettings.Kinds.rate, [0xc8, 0x00, 0x01, 0x00, 0x01, 0x00])
        #expect(rate.bytes == [0xb5, 0x62, 0x06, 0x08, 0x06, 0x00, 0xc8, 0x00, 0x01, 0x00, 0x01, 0x00, 0xde, 0x6a])
    }

    @Test func readsWhatItWrites() {
        for count in [0, 1, 2, 255, 256, UBXFrame.longestPayload] {
            let frame = UBXFrame(.init(0x01, 0x07), (0..<count).map { UInt8(truncatingIfNeeded: $0) })
            #expect(frames(frame.bytes) == [frame])
        }
    }

    @Test func findsFramesBetweenSentencesAndNoise() {
        let frame = UBXFrame(.init(0x01, 0x07), [1, 2, 3])
        let sentence = Array(SimulatedReceiver().epoch(0).text.utf8)
        #expect(frames(sentence + frame.bytes + [0x00, 0xff] + frame.bytes + sentence) == [frame, frame])
    }

    @Test func takesNoFrameWithAWrongChecksum() {
        for index in 2..<11 {
            var bytes = UBXFrame(.init(0x01, 0x07), [1, 2, 3]).bytes
            bytes[index] ^= 0x10
            #expect(frames(bytes) == [])
        }
    }

    @Test func findsTheFrameThatACutOneHasSwallowed() {
        let frame = UBXFrame(.init(0x05, 0x01), [0x06, 0x8a])
        let cut = UBXFrame(.init(0x01, 0x07), [UInt8](repeating: 7, count: 12)).bytes.dropLast(9)
        #expect(frames(cut + frame.bytes) == [frame])
        #expect(frames([0xb5, 0xb5, 0x62, 0xb5, 0xb5] + frame.bytes) == [frame])
        // A length that no frame has.
        #expect(frames([0xb5, 0x62, 0x01, 0x07, 0xff, 0xff] + frame.bytes) == [frame])
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5] as [UInt64]) func keepsTheContractOnNoiseFullOfBeginnings(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes += [0xb5, 0x62, UInt8.random(in: 0...0x13, using: &random), 0, UInt8.random(in: 0...40, using: &random), 0]
            case 1: bytes += UBXFrame(.init(0x01, 0x07), (0..<Int.random(in: 0..<60, using: &random)).map { _ in 0xb5 }).bytes
            case 2: bytes.removeLast(min(bytes.count, 5))
            default: bytes += (0..<9).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            }
        }
        #expect(UBXContract.violations(reading: bytes, seed: seed) == [])
    }
}
