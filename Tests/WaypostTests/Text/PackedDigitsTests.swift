import Foundation
import Testing

@testable import Waypost

@Suite struct PackedDigitsTests {
    /// A number of each length, at its ends and between.
    private var numbers: [UInt64] {
        var generator = SystemRandomNumberGenerator()
        var numbers: [UInt64] = [0]
        var limit: UInt64 = 1
        for _ in 1...8 {
            numbers += [limit, limit * 10 - 1]
            for _ in 0..<2_000 { numbers.append(.random(in: limit..<limit * 10, using: &generator)) }
            limit *= 10
        }
        return numbers
    }

    @Test func readsAndWritesEveryLength() {
        for number in numbers {
            let digits = PackedDigits.digits(of: number)
            let text = withUnsafeBytes(of: PackedDigits.characters(of: digits).littleEndian) { String(decoding: $0, as: UTF8.self) }
            #expect(text == String(repeating: "0", count: 8 - "\(number)".count) + "\(number)")
            // What stands behind the number is none of it.
            let bytes = Array("\(number),9*:.".utf8)
            for room in [bytes, Array(bytes.dropLast(5))] {
                let word = PackedDigits.word(at: 0, in: room.span)
                #expect(PackedDigits.value(word, count: "\(number)".count) == number)
            }
        }
        #expect(PackedDigits.removing(2, from: 0x0807_0605_0403_0201) == 0x0008_0706_0504_0201)
    }

    @Test func refusesEverythingThatIsNoDigit() {
        for byte in UInt8.min...UInt8.max where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            for count in 1...8 {
                for place in 0..<count {
                    var bytes = [UInt8](repeating: UInt8(ascii: "9"), count: 8)
                    bytes[place] = byte
                    let word = PackedDigits.word(at: 0, in: bytes.span)
                    #expect(PackedDigits.value(word, count: count) == nil, "\(byte) at \(place) of \(count)")
                    #expect(PackedDigits.count(before: byte, in: word) == place)
                }
            }
        }
    }

    @Test func readsNothingBehindTheEnd() {
        let bytes = Array("12345".utf8)
        #expect(PackedDigits.value(PackedDigits.word(at: 3, in: bytes.span), count: 2) == 45)
        #expect(PackedDigits.value(PackedDigits.word(at: 3, in: bytes.span), count: 3) == nil)
        #expect(PackedDigits.value(PackedDigits.word(at: 9, in: bytes.span), count: 1) == nil)
    }

    @Test func findsTheSameWordAtEveryPlaceOfEveryLength() {
        for count in 0...20 {
            let bytes = (0..<count).map { UInt8(0x81 + 3 * $0) }
            for place in 0...count + 9 {
                let expected = (0..<8).reduce(UInt64(0)) { word, byte in
                    place + byte < count ? word | UInt64(bytes[place + byte]) << (8 * byte) : word
                }
                #expect(PackedDigits.word(at: place, in: bytes.span) == expected, "\(place) of \(count)")
            }
        }
    }

    @Test func writesNumbersAsTheSystemDoes() {
        var generator = SystemRandomNumberGenerator()
        for decimals in 0...9 {
            for number in numbers {
                // A fraction that the decimals can say, with zeros at its end now and then.
                let scale = pow(10, Double(decimals))
                let zeros: UInt64 = [1, 10, 1_000, 100_000].randomElement(using: &generator) ?? 1
                let value = Double(number / zeros * zeros) / scale
                let full = String(format: "%.\(decimals)f", value)
                var buffer = TextBuffer()
                buffer.append(-value, decimals: decimals)
                #expect(buffer.string == (value == 0 ? full : "-" + full))
                buffer.removeAll()
                buffer.append(value, decimals: decimals, trimsZeros: true)
                var trimmed = full
                if decimals > 0 {
                    while trimmed.last == "0" { trimmed.removeLast() }
                    if trimmed.last == "." { trimmed.removeLast() }
                }
                #expect(buffer.string == trimmed)
            }
        }
    }
}
