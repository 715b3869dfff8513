import Waypost

/// Decodes NMEA and writes every fix as a GPX track point, into a buffer that is thrown away when it holds 64 KiB: what `waypost convert`
/// does, without its files.
///
/// For instructions a point, run it under `valgrind --tool=callgrind --toggle-collect='*NMEAToGPX*pass*'` and divide by the points.
enum NMEAToGPX {
    /// Prints how many points and bytes were written.
    static func run(_ bytes: [UInt8]) {
        let result = pass(bytes)
        print("points \(result.points), bytes \(result.bytes)")
    }

    @inline(never)
    static func pass(_ bytes: [UInt8]) -> (points: Int, bytes: Int) {
        var decoder = NMEADecoder()
        var writer = GPXWriter(creator: "waypost-bench")
        var events: [NMEAEvent] = []
        var text = TextBuffer()
        var written = 0
        writer.begin(into: &text)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 65_536)
            decoder.decode(bytes.span.extracting(start..<end), into: &events)
            if end == bytes.count { decoder.finish(into: &events) }
            start = end
            for case .epoch(let epoch) in events {
                if let position = epoch.position { writer.point(position, into: &text) }
                if text.count >= 65_536 {
                    written += text.count
                    text.removeAll()
                }
            }
            events.removeAll(keepingCapacity: true)
        }
        writer.end(into: &text)
        return (writer.pointCount, written + text.count)
    }
}
