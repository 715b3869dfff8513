import Foundation
import Testing
import WaypostTestKit

@testable import Waypost

/// The times that `robust` tells of crossings, on tracks without noise.
struct BorderTimesTests {
    /// A way: where the object is, in metres from the fence's middle, after so many seconds.
    struct Way: CustomTestStringConvertible {
        let testDescription: String
        let seconds: Double
        let place: @Sendable (Double) -> (east: Double, north: Double)

        func velocity(_ time: Double) -> (east: Double, north: Double) {
            let (before, after) = (place(time), place(time + 0.001))
            return ((after.east - before.east) / 0.001, (after.north - before.north) / 0.001)
        }
    }

    enum Shape: CaseIterable { case circle, polygon, corridor }

    private static let centre = RandomFences.regions[0]
    private static let frame = LocalFrame(origin: centre)
    private static let firstTime: Int64 = 1_800_000_000_000

    private static func fence(_ shape: Shape) throws -> Geofence {
        func corner(_ east: Double, _ north: Double) -> Coordinate {
            frame.coordinate(PlanePoint(eastMetres: east, northMetres: north))
        }
        switch shape {
        case .circle: return Geofence(id: "Yard", shape: try .circle(centre: centre, radiusMetres: 60))
        case .polygon:
            return Geofence(id: "Yard", shape: try .polygon([[corner(-60, -50), corner(55, -60), corner(60, 60), corner(-50, 50)]]))
        case .corridor: return Geofence(id: "Yard", shape: try .corridor([corner(-10, -300), corner(10, 300)], widthMetres: 110))
        }
    }

    /// Walking, driving, fast, slowly through the border, in a bend, and round corners.
    static let ways: [Way] =
        [1.4, 5, 14, 33].map { speed in
            Way(testDescription: "\(speed) m/s", seconds: 500 / speed) { (-250 + speed * $0, 12 + 0.1 * speed * $0) }
        } + [
            Way(testDescription: "braking and speeding up", seconds: 60) { (-200 + 8 * $0 + 40 * sin($0 / 5), -8) },
            Way(testDescription: "in a bend", seconds: 56) { (-70 + 90 * cos(0.13 * $0), 90 * sin(0.13 * $0)) },
            turn(speed: 8, radius: 12), turn(speed: 12, radius: 25),
        ]

    /// Towards the fence, round a corner on its border in about two seconds, and on.
    private static func turn(speed: Double, radius: Double) -> Way {
        let (straight, arc) = (190 / speed, .pi / 2 * radius / speed)
        return Way(testDescription: "round a corner at \(speed) m/s", seconds: 400 / speed) { time in
            if time < straight { return (-250 + speed * time, 3) }
            let angle = min(time - straight, arc) * speed / radius
            return (-60 + radius * sin(angle), 3 + radius * (1 - cos(angle)) + speed * max(time - straight - arc, 0))
        }
    }

    /// Fixes of a way, the first one so many seconds after its start.
    private static func fixes(_ way: Way, phase: Double, interval: Double, hasVelocity: Bool = true) -> [Position] {
        stride(from: phase, to: way.seconds, by: interval).map { time in
            let (place, velocity) = (way.place(time), way.velocity(time))
            var fix = Position(
                time: UTCTime(millisecondsSince1970: firstTime + Int64((time * 1_000).rounded())),
                coordinate: frame.coordinate(PlanePoint(eastMetres: place.east, northMetres: place.north)))
            fix.accuracy = HorizontalAccuracy(radiusMetres: 4, origin: .receiver)
            guard hasVelocity else { return fix }
            fix.speedMetresPerSecond = (velocity.east * velocity.east + velocity.north * velocity.north).squareRoot()
            fix.courseDegrees = (atan2(velocity.east, velocity.north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
            return fix
        }
    }

    /// When a way crosses the border, in milliseconds, and whether inward.
    private static func crossings(_ way: Way, _ shape: FenceShape) -> [(milliseconds: Int64, isInward: Bool)] {
        func isInside(_ milliseconds: Int64) -> Bool {
            let place = way.place(Double(milliseconds) / 1_000)
            return shape.contains(frame.coordinate(PlanePoint(eastMetres: place.east, northMetres: place.north)))
        }
        var found: [(Int64, Bool)] = []
        var wasInside = isInside(0)
        for milliseconds in 1..<Int64(way.seconds * 1_000) {
            let now = isInside(milliseconds)
            if now != wasInside { found.append((milliseconds, now)) }
            wasInside = now
        }
        return found
    }

    @Test(arguments: Shape.allCases, ways)
    func areRightAtEveryPhase(shape: Shape, way: Way) throws {
        let fence = try Self.fence(shape)
        let truth = Self.crossings(way, fence.shape)
        var predictions = 0
        for interval in [0.2, 1, 2] {
            for phase in stride(from: 0, to: interval, by: 0.05) {
                var monitor = GeofenceMonitor(fences: FenceIndex([fence]))
                let events = Self.fixes(way, phase: phase, interval: interval).flatMap { monitor.process($0) }
                #expect(events.map { $0.kind == .enter } == truth.map(\.isInward), "phase \(phase) of \(interval)")
                for (event, crossing) in zip(events, truth) {
                    let crossed = try #require(event.crossedAt, "phase \(phase) of \(interval)").millisecondsSince1970 - Self.firstTime
                    #expect(abs(crossed - crossing.milliseconds) <= 100, "phase \(phase) of \(interval): \(event)")
                    let decided = try #require(event.time).millisecondsSince1970 - Self.firstTime
                    #expect(event.isPredicted == (crossed > decided), "phase \(phase) of \(interval): \(event)")
                    predictions += event.isPredicted ? 1 : 0
                    try expectWords(of: event)
                }
            }
        }
        // On foot one can stop before any border.
        #expect(predictions > 0 || way.testDescription == "1.4 m/s")
    }

    /// Nobody reads that an exit is inside.
    private func expectWords(of event: GeofenceEvent) throws {
        var (words, json) = (TextBuffer(), TextBuffer())
        event.append(to: &words)
        json.appendJSON { $0.element(TrackerEvent(event)) }
        let line = String(decoding: words.bytes, as: UTF8.self)
        #expect(line.contains(", predicted, ") == event.isPredicted && line.contains("before the border") == event.isPredicted)
        #expect(!line.contains(event.kind == .exit ? "m inside" : "m outside"), "\(line)")
        #expect(try JSONParser().parse(json.bytes)["predicted"]?.bool == (event.isPredicted ? true : nil))
    }

    @Test(arguments: Shape.allCases)
    func areRightOfAPass(shape: Shape) throws {
        let fence = try Self.fence(shape)
        let way = Way(testDescription: "", seconds: 120) { (-900 + 20 * $0, 0.5 * $0 - 20) }
        let truth = Self.crossings(way, fence.shape)
        for phase in stride(from: 0.0, to: 10, by: 0.25) {
            var monitor = GeofenceMonitor(fences: FenceIndex([fence]))
            for event in Self.fixes(way, phase: phase, interval: 10).flatMap({ monitor.process($0) }) {
                let times = [event.crossedAt, event.leftAt].compactMap { $0?.millisecondsSince1970 }
                #expect(times.count == (event.kind == .pass ? 2 : 1))
                for time in times {
                    #expect(truth.contains { abs($0.milliseconds + Self.firstTime - time) <= 100 }, "phase \(phase): \(event)")
                }
            }
        }
    }

    /// A recording without speeds.
    @Test(arguments: Shape.allCases, [1.4, 14.0])
    func areRightWithoutAVelocity(shape: Shape, speed: Double) throws {
        let fence = try Self.fence(shape)
        let way = Way(testDescription: "", seconds: 500 / speed) { (-250 + speed * $0, 12) }
        let truth = Self.crossings(way, fence.shape)
        for phase in stride(from: 0.0, to: 1, by: 0.1) {
            var monitor = GeofenceMonitor(fences: FenceIndex([fence]))
            let events = Self.fixes(way, phase: phase, interval: 1, hasVelocity: false).flatMap { monitor.process($0) }
            #expect(events.map(\.kind) == [.enter, .exit])
            for (event, crossing) in zip(events, truth) {
                let crossed = try #require(event.crossedAt).millisecondsSince1970 - Self.firstTime
                #expect(abs(crossed - crossing.milliseconds) <= 100, "phase \(phase): \(event)")
                #expect(!event.isPredicted)
            }
        }
    }

    /// What happened in a gap, a jump or between fixes without times has no time of its own.
    @Test(arguments: Shape.allCases, ["loss", "gap", "jump", "untimed"])
    func areAbsentWhereNobodyCanKnow(shape: Shape, what: String) throws {
        let way = Way(testDescription: "", seconds: 240) { time in
            switch time {
            case ..<60: (-200 + time, 3)
            case ..<150: what == "jump" ? (-140, 3) : (-140 + 1.4 * (time - 60), 3)
            default: (0 + 1.4 * (time - 150), 3)
            }
        }
        var monitor = GeofenceMonitor(fences: FenceIndex([try Self.fence(shape)]))
        var events: [GeofenceEvent] = []
        for (second, fix) in Self.fixes(way, phase: 0, interval: 1).enumerated() {
            var fix = fix
            let isHidden = (70..<150).contains(second)
            if what == "untimed", isHidden { fix.time = nil }
            if isHidden, what == "loss" || what == "gap" { continue }
            if second == 150, what == "loss" { monitor.lose(at: nil) }
            events += monitor.process(fix)
        }
        #expect(events.map(\.kind) == [.enter, .exit])
        #expect(events.first?.crossedAt == nil && events.first?.isPredicted == false)
        #expect(events.last?.crossedAt != nil)
    }

    /// It was taken to be out, and stopped after all: it comes in again, and nobody knows when, for it was never out.
    @Test func areAbsentWhereAPredictionIsTakenBack() throws {
        let way = Way(testDescription: "", seconds: 90) { time in (time < 20 ? -33 * (20 - time) + 50 : 50 - min(time - 20, 40), 0) }
        var fixes = Self.fixes(way, phase: 0, interval: 1)
        fixes[20].speedMetresPerSecond = 33
        fixes[20].courseDegrees = 90
        var monitor = GeofenceMonitor(fences: FenceIndex([try Self.fence(.circle)]))
        let events = fixes.flatMap { monitor.process($0) }
        #expect(events.map(\.kind) == [.enter, .exit, .enter])
        #expect(events.map(\.isPredicted).last == false && events.dropFirst().first?.isPredicted == true)
        #expect(events.last?.crossedAt == nil)
    }
}
