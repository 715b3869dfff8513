import Foundation
import Testing
import Waypost

@Suite struct NMEAAccuracyTests {
    private static let gga = "GPGGA,120000,4717.115,N,00833.915,E,1,08,2.0,545.4,M,46.9,M,,"

    /// The share of a two-dimensional normal distribution within a circle, integrated over the angle.
    private static func share(within radius: Double, sigmas first: Double, _ second: Double) -> Double {
        let steps = 20_000
        var sum = 0.0
        for step in 0..<steps {
            let angle = (Double(step) + 0.5) * 2 * .pi / Double(steps)
            // Along one direction the density is a Rayleigh one with this variance.
            let inverse = pow(cos(angle) / first, 2) + pow(sin(angle) / second, 2)
            sum += (1 - exp(-radius * radius * inverse / 2)) / inverse
        }
        return sum / (first * second * Double(steps))
    }

    /// Radii are delivered in whole millimetres.
    private static func radius68(_ first: Double, _ second: Double) -> Double {
        (RangeErrorModel.radius68(sigmasMetres: first, second) * 1_000).rounded() / 1_000
    }

    /// The radius that holds 68 %, by bisection.
    private static func exactRadius68(sigmas first: Double, _ second: Double) -> Double {
        var low = 0.0
        var high = 4 * max(first, second)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if share(within: middle, sigmas: first, second) < 0.68 { low = middle } else { high = middle }
        }
        return high
    }

    @Test(arguments: [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
    func fitsTheIntegralOfTheNormalDistribution(ratio: Double) {
        let exact = NMEAAccuracyTests.exactRadius68(sigmas: 3, 3 * ratio)
        #expect(abs(RangeErrorModel.radius68(sigmasMetres: 3, 3 * ratio) / exact - 1) < 0.005, "ratio \(ratio)")
        #expect(RangeErrorModel.radius68(sigmasMetres: 3 * ratio, 3) == RangeErrorModel.radius68(sigmasMetres: 3, 3 * ratio))
    }

    @Test func knowsTheEnds() {
        // One axis only: the 68 % quantile of a normal error is 0.9945 sigma. A circle: sqrt(-2 ln 0.32) sigma.
        #expect(abs(RangeErrorModel.radius68(sigmasMetres: 1, 0) / 0.994_5 - 1) < 0.005)
        #expect(abs(RangeErrorModel.radius68(sigmasMetres: 1, 1) / sqrt(-2 * log(0.32)) - 1) < 0.005)
        #expect(RangeErrorModel.radius68(sigmasMetres: 0, 0) == 0)
    }

    @Test func scalesNinetyFivePercentBySqrtOfTheLogarithms() {
        #expect(abs(RangeErrorModel.radius68(radius95Metres: 1) - sqrt(log(0.32) / log(0.05))) < 0.005)
        // Whole millimetres, as everything that is computed from dilutions.
        #expect(RangeErrorModel.radius68(radius95Metres: 9.523) == 5.904)
        #expect(RangeErrorModel.radius68(radius95Metres: .greatestFiniteMagnitude).isFinite)
    }

    @Test(arguments: [("1", 10.674), ("2", 5.337), ("4", 0.043), ("5", 0.854), ("6", 32.022)])
    func takesHDOPTimesTheRangeErrorOfTheStatus(_ quality: String, radius: Double) {
        let body = "GPGGA,120000,4717.115,N,00833.915,E,\(quality),08,2.0,545.4,M,46.9,M,,"
        let accuracy = DecodedNMEA(body).position?.accuracy
        #expect(accuracy?.origin == .hdop)
        #expect(abs((accuracy?.radiusMetres ?? -1) - radius) < 1e-9, "\(quality)")
    }

    @Test(arguments: ["", "0.0", "99.99", "99.0"])
    func knowsNoAccuracyWithoutAMeaningfulHDOP(_ hdop: String) {
        #expect(DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,1,08,\(hdop),545.4,M,46.9,M,,").position?.accuracy == nil)
    }

    @Test func prefersGSTToGBSToHDOP() {
        let gst = "GPGST,120000,8.0,3.0,3.0,0.0,9.0,9.0,9.0"
        let gbs = "GPGBS,120000,4.0,4.0,9.0,,,,"
        for order in [[NMEAAccuracyTests.gga, gst, gbs], [gbs, gst, NMEAAccuracyTests.gga]] {
            let accuracy = DecodedNMEA(order[0], order[1], order[2]).position?.accuracy
            #expect(accuracy == HorizontalAccuracy(radiusMetres: NMEAAccuracyTests.radius68(3, 3), origin: .gst))
        }
        let accuracy = DecodedNMEA(NMEAAccuracyTests.gga, gbs).position?.accuracy
        #expect(accuracy == HorizontalAccuracy(radiusMetres: NMEAAccuracyTests.radius68(4, 4), origin: .gbs))
    }

    @Test func takesGSTsLatitudeAndLongitudeWhereTheEllipseIsMissing() {
        let accuracy = DecodedNMEA(NMEAAccuracyTests.gga, "GPGST,120000,8.0,,,,2.0,1.0,4.0").position?.accuracy
        #expect(accuracy == HorizontalAccuracy(radiusMetres: NMEAAccuracyTests.radius68(2, 1), origin: .gst))
    }

    @Test func keepsTheAccuracyToItsEpoch() {
        let later = NMEAAccuracyTests.gga.replacing("120000", with: "120001")
        let decoded = DecodedNMEA(NMEAAccuracyTests.gga, "GPGST,120000,8.0,3.0,3.0,0.0,9.0,9.0,9.0", later)
        #expect(decoded.positions.map(\.accuracy?.origin) == [.gst, .hdop])
    }
}
