import CAllocationCount
import Glibc
import Waypost

/// Decodes NMEA in pieces of 64 KiB, as a file is read, and keeps nothing.
///
/// Two passes: the first one grows the buffers, the second one must not allocate at all. For instructions a sentence, run it under
/// `valgrind --tool=callgrind --toggle-collect='*NMEAParse*pass*'` and divide by the sentences of both passes.
enum NMEAParse {
    /// What one pass has found.
    struct Result: Equatable {
        var sentences = 0
        var epochs = 0
        var fixes = 0
    }

    /// Prints what was found; false when the second pass allocated.
    static func run(_ bytes: [UInt8]) -> Bool {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        let first = pass(bytes, &decoder, &events)
        let before = waypost_allocation_count()
        let second = pass(bytes, &decoder, &events)
        let allocations = waypost_allocation_count() - before
        print(
            "sentences \(first.sentences + second.sentences), epochs \(first.epochs + second.epochs), fixes \(first.fixes + second.fixes)")
        print("allocations: \(before) up to the second pass, \(allocations) in it")
        return allocations == 0
    }

    @inline(never)
    static func pass(_ bytes: [UInt8], _ decoder: inout NMEADecoder, _ events: inout [NMEAEvent]) -> Result {
        var result = Result()
        let before = decoder.counters.sentences
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 65_536)
            decoder.decode(bytes.span.extracting(start..<end), into: &events)
            start = end
            count(&events, &result)
        }
        decoder.finish(into: &events)
        count(&events, &result)
        result.sentences = decoder.counters.sentences - before
        return result
    }

    private static func count(_ events: inout [NMEAEvent], _ result: inout Result) {
        for case .epoch(let epoch) in events {
            result.epochs += 1
            if epoch.position != nil { result.fixes += 1 }
        }
        events.removeAll(keepingCapacity: true)
    }
}
