import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

/// The rule `robust` on seeded tracks with the errors that receivers have.
struct BorderRuleTests {
    private let centre = RandomFences.regions[0]

    /// The kinds of events of a track round a circle of 50 m, from true places in metres and errors.
    private func kinds(
        _ truth: [(east: Double, north: Double)], errors: [(east: Double, north: Double, accuracy: Double)], speed: Double,
        interval: Double = 1
    ) throws -> [GeofenceEvent.Kind] {
        var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "a", shape: try .circle(centre: centre, radiusMetres: 50))]))
        let frame = LocalFrame(origin: centre)
        var kinds: [GeofenceEvent.Kind] = []
        for (second, (place, error)) in zip(truth, errors).enumerated() {
            let coordinate = frame.coordinate(PlanePoint(eastMetres: place.east + error.east, northMetres: place.north + error.north))
            let (before, after) = (truth[max(second - 1, 0)], truth[min(second + 1, truth.count - 1)])
            let course = atan2(after.east - before.east, after.north - before.north) * 180 / .pi
            kinds += monitor.process(
                .fix(
                    coordinate, second: Double(second) * interval, accuracy: error.accuracy, speed: speed,
                    course: speed > 0.5 ? (course + 360).truncatingRemainder(dividingBy: 360) : nil)
            ).map(\.kind)
        }
        return kinds
    }

    /// Errors that last for a minute, and white ones; claims that are right on the average.
    private func errors(_ count: Int, sigma: Double, seed: UInt64) -> [(east: Double, north: Double, accuracy: Double)] {
        var random = SeededGenerator(seed: seed)
        func gauss(_ sigma: Double) -> Double {
            sigma * (-2 * log(Double.random(in: Double.ulpOfOne...1, using: &random))).squareRoot()
                * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
        }
        var (east, north) = (gauss(sigma), gauss(sigma))
        let decay = exp(-1.0 / 60)
        return (0..<count).map { _ in
            east = decay * east + gauss(sigma * (1 - decay * decay).squareRoot())
            north = decay * north + gauss(sigma * (1 - decay * decay).squareRoot())
            return (east + gauss(sigma / 4), north + gauss(sigma / 4), max(2, sigma * 1.5 * exp(gauss(0.35))))
        }
    }

    @Test func saysNothingOfAParkedCarOnTheBorder() throws {
        for seed: UInt64 in 1...3 {
            #expect(try kinds(Array(repeating: (50, 0), count: 7_200), errors: errors(7_200, sigma: 5, seed: seed), speed: 0.1) == [])
        }
    }

    @Test func doesNotBelieveFixesThatLie() throws {
        var errors = errors(3_600, sigma: 5, seed: 4)
        for second in stride(from: 0, to: 3_600, by: 300) { errors[second] = (200, 30, 2) }
        for second in 1_000..<1_040 { errors[second].east += 60 }
        #expect(try kinds(Array(repeating: (0, 0), count: 3_600), errors: errors, speed: 0.1) == [])
        #expect(try kinds(Array(repeating: (-110, 0), count: 3_600), errors: errors, speed: 0.1) == [])
    }

    @Test func doesNotFlickerOnAWalkAlongTheBorder() throws {
        let truth = (0..<1_800).map { second -> (east: Double, north: Double) in
            let angle = 1.4 * Double(second) / 54
            return (54 * cos(angle), 54 * sin(angle))
        }
        var events = 0
        for seed: UInt64 in 1...3 { events += try kinds(truth, errors: errors(1_800, sigma: 3, seed: seed), speed: 1.4).count }
        #expect(events <= 6)
    }

    @Test(arguments: [1.4, 14, 33])
    func tellsADriveThroughTheMiddle(speed: Double) throws {
        for seed: UInt64 in 1...5 {
            let truth = (0...Int(600 / speed)).map { second -> (east: Double, north: Double) in (-300 + speed * Double(second), 0) }
            #expect(try kinds(truth, errors: errors(truth.count, sigma: 5, seed: seed), speed: speed) == [.enter, .exit])
        }
    }

    @Test func tellsAChordBetweenTwoFixesOnce() throws {
        let truth: [(east: Double, north: Double)] = [(-700, 35), (-250, 35), (200, 35), (650, 35)]
        #expect(try kinds(truth, errors: Array(repeating: (0.5, 0.5, 2), count: 4), speed: 15, interval: 30) == [.pass])
    }

    @Test func saysWhatADecisionRestsOn() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "a", shape: try .circle(centre: centre, radiusMetres: 50))]))
        let frame = LocalFrame(origin: centre)
        var events: [GeofenceEvent] = []
        for second in 0..<30 {
            let place = frame.coordinate(PlanePoint(eastMetres: -100 + 10 * Double(second), northMetres: 0))
            events += monitor.process(.fix(place, second: Double(second), accuracy: 3, speed: 10, course: 90))
        }
        let evidence = try #require(events.first).evidence
        #expect(events.map(\.kind) == [.enter, .exit])
        #expect(evidence.accuracyMetres == 3 && evidence.speedMetresPerSecond == 10)
        #expect(try #require(evidence.fixes) >= 5)
        #expect(try abs(#require(evidence.distanceMetres)) < 12 && abs(#require(evidence.marginMetres)) < 1)
    }

    /// The first fix after a tunnel may be anywhere: one that claims to be far off decides nothing, and one that lies is taken back with an exit.
    @Test(arguments: [90, 300, 3_600], [(1_178.0, false), (8, true), (99, true), (101, false)]) func livesThroughAWrongFixAfterAGap(
        gap: Int, lie: (accuracy: Double, isBelieved: Bool)
    ) throws {
        for lose in [false, true] {
            var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "a", shape: try .circle(centre: centre, radiusMetres: 50))]))
            let frame = LocalFrame(origin: centre)
            var events: [GeofenceEvent] = []
            func place(_ east: Double) -> Coordinate { frame.coordinate(PlanePoint(eastMetres: east, northMetres: 0)) }
            for second in 0..<90 { events += monitor.process(.fix(place(-4_500), second: Double(second), accuracy: 8, speed: 0)) }
            if lose { monitor.lose(at: nil) }
            let start = 90 + gap
            events += monitor.process(.fix(place(1), second: Double(start), accuracy: lie.accuracy, speed: 0))
            for second in 1..<60 { events += monitor.process(.fix(place(-4_500), second: Double(start + second), accuracy: 8, speed: 0)) }
            // A visit, at last.
            for second in 0..<900 {
                let east = -4_500 + 10 * Double(second)
                events += monitor.process(.fix(place(east), second: Double(start + 60 + second), accuracy: 8, speed: 10, course: 90))
            }
            let expected: [GeofenceEvent.Kind] = lie.isBelieved ? [.enter, .exit, .enter, .exit] : [.enter, .exit]
            #expect(events.map(\.kind) == expected, "\(gap) s, \(lie), lost: \(lose)")
            #expect(Set(events.map(\.id)).count == events.count)
        }
    }

    /// A recording without Doppler velocity: slower to decide, but neither blind nor nervous.
    @Test func worksWithoutAVelocity() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "a", shape: try .circle(centre: centre, radiusMetres: 200))]))
        let frame = LocalFrame(origin: centre)
        var kinds: [GeofenceEvent.Kind] = []
        for second in 0..<200 {
            let place = frame.coordinate(PlanePoint(eastMetres: -1_000 + 10 * Double(second), northMetres: 0))
            kinds += monitor.process(.fix(place, second: Double(second))).map(\.kind)
        }
        #expect(kinds == [.enter, .exit])
    }
}
