import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Maintains the line that `systemctl status` shows every local user: never a place, a source, or that positions are withheld.
actor ServiceReporter: PositioningConsumer {
    private let notifier: ServiceNotifier
    private let logger: Logger
    private var told = ""

    init(_ notifier: ServiceNotifier, logger: Logger) {
        self.notifier = notifier
        self.logger = logger
    }

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position(let position): show(position.mode == .threeDimensional ? "3D fix" : "2D fix")
        case .lost(.withheld): break
        case .lost(.disconnected): show("position lost: not connected")
        case .lost(.deviceGone): show("position lost: the receiver is gone")
        case .lost(let reason): show("position lost: \(reason)")
        case .paused: show("the receiver sleeps")
        case .resumed: show("waiting for the receiver")
        case .failed, .finished, .matched, .noFix, .significantChange, .sky, .stationary, .status: break
        }
    }

    /// Reports that the tracker does its work from now on.
    func tellReady() {
        told = "waiting for the first fix"
        send(.ready, .status(told))
    }

    /// Reports that it is about to end.
    func tellStopping() {
        told = "finishing the track"
        send(.stopping, .status(told))
    }

    private func show(_ words: String) {
        guard words != told else { return }
        told = words
        send(.status(words))
    }

    private func send(_ first: ServiceNotifier.Message, _ second: ServiceNotifier.Message? = nil) {
        do throws(SystemError) {
            if let second { try notifier.send(first, second) } else { try notifier.send(first) }
        } catch {
            logger.warning("\(error.description)")
        }
    }
}
