import Glibc
import Waypost

/// Walkers among fences: what `tools/bench/gf_geos.c` does with the same two files, with the monitor in place of GEOS.
///
/// For instructions a position, run it under `valgrind --tool=callgrind --toggle-collect='*FenceReplay*pass*'`.
enum FenceReplay {
    /// Prints one line: how many enters and exits (a first position inside counts as an enter, as it does there), what they cost, and the
    /// most memory that was used; false when a file cannot be used.
    static func run(fences fencePath: String, positions positionPath: String, rule: BorderRule) -> Bool {
        let started = cpuSeconds()
        guard let fences = fences(fencePath), let tracks = tracks(positionPath), !fences.isEmpty, !tracks.isEmpty else { return false }
        var index = FenceIndex(consume fences)
        index.prepare(for: rule)
        let loaded = cpuSeconds()
        var result = Result()
        for track in tracks { pass(track, index, rule, &result) }
        let seconds = cpuSeconds() - loaded
        let count = tracks.reduce(0) { $0 + $1.count }
        print(
            "fences \(index.count) positions \(count) enters \(result.enters) exits \(result.exits) passes \(result.passes)",
            "load_cpu \(rounded(loaded - started)) run_cpu \(rounded(seconds)) pos/s \(Int(Double(count) / seconds)) rss \(peakMegabytes())MB"
        )
        return true
    }

    /// What was counted.
    struct Result {
        var enters = 0
        var exits = 0
        var passes = 0
    }

    /// One walker's way, seen by a monitor of its own.
    @inline(never)
    static func pass(_ track: [Coordinate], _ index: FenceIndex, _ rule: BorderRule, _ result: inout Result) {
        var monitor = GeofenceMonitor(fences: index, rule: rule)
        var position = Position(time: nil, coordinate: track[0], status: .gps)
        for (second, place) in track.enumerated() {
            position.coordinate = place
            position.time = UTCTime(millisecondsSince1970: 1_767_225_600_000 + Int64(second) * 1_000)
            for event in monitor.process(position) {
                switch event.kind {
                case .enter: result.enters += 1
                case .exit: result.exits += 1
                case .pass: result.passes += 1
                case .dwell: break
                @unknown default: break
                }
            }
            if second == 0 { result.enters += monitor.fencesInside.count }
        }
    }

    // MARK: Files

    /// `id C latitude longitude radius` or `id P POLYGON (...)`, tabs between.
    private static func fences(_ path: String) -> [Geofence]? {
        var fences: [Geofence] = []
        let isWhole = forEachLine(of: path) { line in
            let columns = line.split(separator: UInt8(ascii: "\t"))
            guard columns.count >= 3 else { return false }
            var shape: FenceShape?
            if columns[1].first == UInt8(ascii: "C") {
                let figures = numbers(line[columns[2].startIndex...])
                guard figures.count == 3, let centre = place(figures, 0, 1) else { return false }
                shape = try? FenceShape.circle(centre: centre, radiusMetres: figures[2])
            } else {
                let rings = columns[2].split(separator: UInt8(ascii: "(")).dropFirst().map { ring -> [Coordinate] in
                    let figures = numbers(ring)
                    return stride(from: 0, to: figures.count - 1, by: 2).compactMap { place(figures, $0 + 1, $0) }
                }
                shape = try? FenceShape.polygon(rings)
            }
            guard let shape else { return false }
            fences.append(Geofence(id: String(decoding: columns[0], as: UTF8.self), shape: shape))
            return true
        }
        return isWhole ? fences : nil
    }

    /// `walker index latitude longitude`, walker by walker.
    private static func tracks(_ path: String) -> [[Coordinate]]? {
        var tracks: [[Coordinate]] = []
        var walker = -1.0
        let isWhole = forEachLine(of: path) { line in
            let figures = numbers(line)
            guard figures.count == 4, let place = place(figures, 2, 3) else { return false }
            if figures[0] != walker {
                walker = figures[0]
                tracks.append([])
            }
            tracks[tracks.count - 1].append(place)
            return true
        }
        return isWhole ? tracks : nil
    }

    /// Whether the file could be read and the body took every line.
    private static func forEachLine(of path: String, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
        guard let file = fopen(path, "r") else { return false }
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer {
            free(line)
            fclose(file)
        }
        while case let length = getline(&line, &room, file), length > 0, let line {
            // With the zero behind it, where strtod stops.
            let bytes = UnsafeRawBufferPointer(start: line, count: length + 1)
            guard body(Array(bytes)[..<length]) else { return false }
        }
        return true
    }

    private static func place(_ figures: [Double], _ latitude: Int, _ longitude: Int) -> Coordinate? {
        guard max(latitude, longitude) < figures.count else { return nil }
        return Coordinate(latitudeDegrees: figures[latitude], longitudeDegrees: figures[longitude])
    }

    /// The numbers in a piece of a line, whatever stands between them.
    private static func numbers(_ text: ArraySlice<UInt8>) -> [Double] {
        var numbers: [Double] = []
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            let end = start + bytes.count
            var place = start
            while place < end {
                var next: UnsafeMutablePointer<CChar>?
                let number = strtod(place, &next)
                if let next, UnsafePointer(next) > place, UnsafePointer(next) <= end {
                    numbers.append(number)
                    place = UnsafePointer(next)
                } else {
                    place += 1
                }
            }
        }
        return numbers
    }

    // MARK: Cost

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private static func peakMegabytes() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_maxrss + 512) / 1_024
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1_000).rounded() / 1_000 }
}
