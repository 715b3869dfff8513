import Testing
import Waypost

@Suite struct TextBufferTests {
    private func text(_ build: (inout TextBuffer) -> Void) -> String {
        var buffer = TextBuffer()
        build(&buffer)
        return buffer.string
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0"), (1.5, "1.5"), (-33.8568, "-33.8568"), (0.0000001, "0.0000001"), (47.28520000001, "47.28520000001"),
        (123456789.125, "123456789.125"), (1e300, "1e+300"),
    ])
    func writesTheShortestDecimal(value: Double, expected: String) {
        #expect(text { $0.append(shortest: value) } == expected)
    }

    @Test func readsBackExactly() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let value = Double.random(in: -180...180, using: &generator)
            for candidate in [value, (value * 1e5).rounded() / 1e5, (value * 1e7).rounded() / 1e7, value * 1e7] {
                let written = text { $0.append(shortest: candidate) }
                #expect(Double(written) == candidate, "\(written)")
            }
        }
    }

    @Test(arguments: [
        (1.005, 1, "1.0"), (-0.04, 1, "0.0"), (-0.05, 1, "-0.1"), (512.3, 1, "512.3"), (-179.99999996, 7, "-180.0000000"), (7.0, 0, "7"),
        (1e300, 1, "1e+300"), (-2e11, 9, "-200000000000.0"),
    ])
    func roundsToDecimals(value: Double, decimals: Int, expected: String) {
        #expect(text { $0.append(value, decimals: decimals) } == expected)
    }

    @Test func writesIntegersAtTheEnds() {
        #expect(text { $0.append(integer: Int64.min) } == "-9223372036854775808")
        #expect(text { $0.append(integer: Int64.max) } == "9223372036854775807")
        #expect(text { $0.append(integer: 0) } == "0")
    }

    @Test func writesTimes() throws {
        let time = try #require(UTCTime(year: 2026, month: 3, day: 1, millisecondOfDay: 21_600_050))
        #expect(text { $0.append(time) } == "2026-03-01T06:00:00.050Z")
        let whole = time.advanced(byMilliseconds: -50)
        #expect(text { $0.append(whole) } == "2026-03-01T06:00:00.000Z")
        #expect(text { $0.append(whole, trimsMilliseconds: true) } == "2026-03-01T06:00:00Z")
    }
}
