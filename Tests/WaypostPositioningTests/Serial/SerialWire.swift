import Foundation
import Synchronization
import Waypost
import WaypostSystem
import WaypostTestKit

/// A receiver on a real pseudo terminal that can be understood at one speed only: at any other the far end gets noise.
///
/// It sends byte by byte at its speed, as a wire does, and looks at the far end's speed (`termios`) for each piece.
final class SerialWire: Sendable {
    let terminal: PseudoTerminal
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - baudRate: the receiver's speed; nil is understood at any, as USB receivers are.
    ///   - first: the number of the first epoch.
    init(baudRate: Int?, receiver: SimulatedReceiver = SimulatedReceiver(), first: Int = 0, delayMilliseconds: Int = 0) throws {
        terminal = try PseudoTerminal()
        let thread = Thread { [self] in
            var random = SeededGenerator(seed: UInt64(baudRate ?? 1))
            usleep(UInt32(1_000 * delayMilliseconds))
            var index = first
            var next = MonotonicClock.milliseconds
            while !isStopped.withLock({ $0 }) {
                send(Array(receiver.epoch(index).text.utf8), at: baudRate, &random)
                index += 1
                next += Int64(receiver.periodMilliseconds)
                usleep(UInt32(1_000 * max(0, next - MonotonicClock.milliseconds)))
            }
        }
        thread.start()
    }

    /// Ends the receiver and hangs the line up.
    func unplug() {
        isStopped.withLock { $0 = true }
        terminal.unplug()
    }

    /// The receiver falls silent; the line stays.
    func fallSilent() { isStopped.withLock { $0 = true } }

    private func send(_ bytes: [UInt8], at baudRate: Int?, _ random: inout SeededGenerator) {
        guard let baudRate else { return (try? terminal.write(bytes)) ?? () }
        let start = MonotonicClock.nanoseconds
        var sent = 0
        while sent < bytes.count, !isStopped.withLock({ $0 }) {
            let due = min(bytes.count, Int((MonotonicClock.nanoseconds - start) * Int64(baudRate) / 10 / 1_000_000_000) + 1)
            let piece = Array(bytes[sent..<max(sent, due)])
            if terminal.baudRate == baudRate {
                try? terminal.write(piece)
            } else {
                try? terminal.write(piece.map { _ in UInt8.random(in: .min ... .max, using: &random) })
            }
            sent = max(sent, due)
            usleep(1_000)
        }
    }
}
