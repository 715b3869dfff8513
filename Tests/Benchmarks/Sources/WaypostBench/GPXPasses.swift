import CAllocationCount
import Waypost

/// Reads GPX in pieces of 64 KiB, as a file is read, and keeps nothing, or writes every point to a buffer that is thrown away.
///
/// For instructions a point, run it under `valgrind --tool=callgrind --toggle-collect='*GPXPasses*pass*'` and divide by the points.
enum GPXPasses {
    /// What becomes of the points.
    enum Target {
        case nothing, jsonLines, gpx
    }

    /// Reads twice, the first time to grow the buffers, and prints what was found; false when the second time allocated per point.
    static func run(_ bytes: [UInt8], _ target: Target) -> Bool {
        let first = pass(bytes, target)
        let before = waypost_allocation_count()
        let second = pass(bytes, target)
        let allocations = waypost_allocation_count() - before
        print("points \(first.points + second.points), bytes \(first.bytes + second.bytes)")
        print("allocations: \(allocations) in the second pass")
        // Each piece may grow a buffer; a point must not cost one.
        return allocations < max(100, second.points / 100)
    }

    @inline(never)
    static func pass(_ bytes: [UInt8], _ target: Target) -> (points: Int, bytes: Int) {
        var reader = GPXReader()
        var writer = GPXWriter(creator: "waypost-bench", precision: .exchange, requiresTime: false)
        var text = TextBuffer(capacity: 1 << 18)
        var points = 0
        var written = 0
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 65_536)
            do throws(GPXError) {
                try reader.read(bytes.span.extracting(start..<end)) { item in
                    guard case .trackPoint(let point, _) = item else { return }
                    points += 1
                    switch target {
                    case .nothing: break
                    case .jsonLines: TPVCodec.append(item, to: &text)
                    case .gpx: writer.point(point, into: &text)
                    }
                }
            } catch {
                print(error)
                return (points, written)
            }
            start = end
            written += text.count
            text.removeAll()
        }
        return (points, written)
    }
}
