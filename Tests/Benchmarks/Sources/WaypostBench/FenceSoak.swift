import Glibc
import Waypost

/// Many fences that come and go under a monitor in use, held against every fence one by one; and a million fixes that must not cost memory.
enum FenceSoak {
    /// Prints one line of a table; false when an answer is wrong or the memory has grown.
    static func run(fences count: Int, positions: Int) -> Bool {
        var random = SplitMix(state: 17)
        var current: [String: Geofence] = [:]
        current.reserveCapacity(count)
        for number in 0..<count {
            let fence = fence("\(number)", &random)
            current[fence.id] = fence
        }
        let started = seconds()
        var monitor = GeofenceMonitor(fences: FenceIndex(current.values), rule: .exact)
        let built = seconds() - started
        let checks = 24
        var (wrong, changes) = (0, 0)
        var changing = 0.0
        for _ in 0..<checks {
            let began = seconds()
            for _ in 0..<100 {
                let id = "\(Int.random(in: 0..<count + count / 10, using: &random))"
                if Int.random(in: 0..<3, using: &random) == 0 {
                    _ = monitor.remove(id: id)
                    current[id] = nil
                } else {
                    let fence = fence(id, &random)
                    _ = monitor.add(fence)
                    current[id] = fence
                }
                _ = monitor.process(Position(time: nil, coordinate: around(Double(changes) / 1_000), status: .gps))
                changes += 1
            }
            changing += seconds() - began
            let here = place(&random)
            _ = monitor.process(Position(time: nil, coordinate: here, status: .gps))
            let inside = Set(current.values.lazy.filter { $0.shape.contains(here) }.map(\.id))
            let near = Set(current.values.lazy.filter { $0.shape.signedDistanceMetres(to: here) <= 300 }.map(\.id))
            if Set(monitor.fencesInside.map(\.id)) != inside { wrong += 1 }
            if Set(monitor.index.fences(within: 300, of: here).map(\.fence.id)) != near { wrong += 1 }
        }
        if monitor.index.count != current.count { wrong += 1 }

        // Rounds on one road: what is near is the same in each of them.
        let road = (0..<1_000).map { step in around(Double(step) / 1_000 * 2 * Double.pi) }
        var early = 0
        for fix in 0..<positions {
            _ = monitor.process(Position(time: nil, coordinate: road[fix % road.count], status: .gps))
            if fix == positions / 10 { early = residentKilobytes() }
        }
        let grown = residentKilobytes() - early
        print(
            "| \(count) | \(tenths(built)) s | \(changes) | \(tenths(changing * 1e6 / Double(changes))) us |",
            "\(2 * checks + 1) | \(wrong) | \(positions) | \(grown) kB |")
        return wrong == 0 && grown < 256
    }

    // MARK: Making

    private static let home = (latitude: 47.4, longitude: 8.5)

    private static func place(_ random: inout SplitMix) -> Coordinate {
        coordinate(Double.random(in: -0.2...0.2, using: &random), Double.random(in: -0.3...0.3, using: &random))
    }

    private static func around(_ angle: Double) -> Coordinate { coordinate(0.15 * sin(angle), 0.2 * cos(angle)) }

    private static func coordinate(_ north: Double, _ east: Double) -> Coordinate {
        guard let place = Coordinate(latitudeDegrees: home.latitude + north, longitudeDegrees: home.longitude + east) else {
            preconditionFailure("home is far from the poles and the antimeridian")
        }
        return place
    }

    /// Circles and ragged squares of 20 to 200 m.
    private static func fence(_ id: String, _ random: inout SplitMix) -> Geofence {
        let (middle, size) = (place(&random), Double.random(in: 20...200, using: &random))
        let shape: FenceShape?
        if Bool.random(using: &random) {
            shape = try? FenceShape.circle(centre: middle, radiusMetres: size)
        } else {
            let corners = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { north, east in
                let reach = size / 111_000 * Double.random(in: 0.6...1, using: &random)
                return coordinate(
                    middle.latitudeDegrees - home.latitude + north * reach, middle.longitudeDegrees - home.longitude + east * reach)
            }
            shape = try? FenceShape.polygon([corners])
        }
        guard let shape else { preconditionFailure("four corners and a radius make a shape") }
        return Geofence(id: id, shape: shape)
    }

    /// SplitMix64 by Steele, Lea and Flood: the same numbers in every run.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    // MARK: Cost

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// What is in memory now, by the second number of statm.
    private static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return .max }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard fgets(&text, Int32(text.count), file) != nil else { return .max }
        let pages = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
        return pages.count > 1 ? (Int(String(decoding: pages[1], as: UTF8.self)) ?? .max / 8) * 4 : .max / 8
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
