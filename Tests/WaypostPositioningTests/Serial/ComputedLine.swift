import Waypost
import WaypostTestKit

@testable import WaypostPositioning

/// A receiver on a wire of one speed, heard through an adapter of another, computed in steps of a millisecond.
struct ComputedLine {
    /// What the adapter hears at another speed than the receiver's.
    enum Noise {
        /// The wire's level where it looks: what hardware hears.
        case sampled
        /// A random byte for each one sent: what a test without a wire makes of it.
        case random
    }

    /// The receiver's speed.
    let baudRate: Int
    /// When a burst begins, before or after the search does; ms.
    let phase: Double
    /// How often it reports; ms.
    var period = 1_000.0
    /// How often the adapter hands over what it has; ms.
    var latency: Int64 = 16
    /// How long it takes to change its speed; ms.
    var changeMilliseconds: Int64 = 5
    var noise = Noise.sampled

    private let burst: [UInt8]
    private var random = SeededGenerator(seed: 42)
    // How far the adapter has listened, and how fast it does.
    private var cursor = 0.0
    private var heardRate = 0
    private var held: [UInt8] = []

    /// - Parameter byteCount: how much a report has, at most.
    init(baudRate: Int, phase: Double, byteCount: Int = 420) {
        self.baudRate = baudRate
        self.phase = phase
        let epochs = SimulatedReceiver().epoch(0).sentences + SimulatedReceiver().epoch(1).sentences
        var text = ""
        for sentence in epochs where text.utf8.count + sentence.utf8.count <= byteCount { text += sentence }
        burst = Array(text.utf8)
    }

    /// How long the search takes, in milliseconds; nil when it gives up or finds a wrong speed.
    mutating func find(_ start: BaudSearch) -> Int64? {
        var search = start
        search.begin(at: 0)
        heardRate = search.baudRate
        var changeAt: Int64?
        for now in Int64(1)..<60_000 {
            listen(until: Double(now))
            if let moment = changeAt {
                // What is handed over meanwhile belongs to neither speed and is not looked at; what is not, comes late.
                if now % latency == 0 { held = [] }
                guard now >= moment else { continue }
                changeAt = nil
                heardRate = search.baudRate
                search.begin(at: now)
                continue
            }
            let step: BaudSearch.Step
            if now % latency == 0, !held.isEmpty {
                step = search.process(held.span, at: now)
                held = []
            } else if now >= search.deadline {
                step = search.process([UInt8]().span, at: now)
            } else {
                continue
            }
            switch step {
            case .listen, .garbled: continue
            case .change: changeAt = now + changeMilliseconds
            case .found: return search.baudRate == baudRate ? now : nil
            case .exhausted: return nil
            }
        }
        return nil
    }

    // MARK: The wire

    private var bit: Double { 1_000 / Double(baudRate) }

    private mutating func listen(until end: Double) {
        let bitCount = 10 * burst.count
        while cursor < end {
            // A nanosecond more, lest a rounding takes the end of the cycle before for the beginning of this one.
            let start = phase + ((cursor - phase) / period + 1e-9).rounded(.down) * period
            guard cursor < start + Double(bitCount) * bit else {
                cursor = start + period
                continue
            }
            // A character begins where the level falls.
            var index = Int((cursor - start) / bit)
            if cursor > start {
                while index < bitCount, !level(index) { index += 1 }
                while index < bitCount, level(index) { index += 1 }
            }
            guard index < bitCount else {
                cursor = start + period
                continue
            }
            let edge = start + Double(index) * bit
            let heardBit = 1_000 / Double(noise == .random ? baudRate : heardRate)
            guard edge + 9.5 * heardBit <= end else { return }
            if noise == .random, heardRate != baudRate {
                held.append(UInt8.random(in: .min ... .max, using: &random))
            } else {
                var byte: UInt8 = 0
                for offset in 0..<8 where level(Int((edge + (1.5 + Double(offset)) * heardBit - start) / bit)) { byte |= 1 << offset }
                held.append(byte)
            }
            cursor = edge + 9.5 * heardBit
        }
    }

    /// Start bit, eight bits, the lowest first, stop bit; a quiet wire is high.
    private func level(_ index: Int) -> Bool {
        guard index < 10 * burst.count else { return true }
        switch index % 10 {
        case 0: return false
        case 9: return true
        case let position: return burst[index / 10] >> (position - 1) & 1 == 1
        }
    }
}
