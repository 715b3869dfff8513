import Logging
import WaypostSystem

/// Maintains the line that `systemctl status` shows every local user, who may know nothing of the position: not when a fix came or went either, which
/// is when the device left a garage or entered a tunnel.
actor ServiceReporter {
    private let notifier: ServiceNotifier
    private let logger: Logger

    init(_ notifier: ServiceNotifier, logger: Logger) {
        self.notifier = notifier
        self.logger = logger
    }

    /// Reports that the tracker does its work from now on.
    func tellReady() { send(.ready, "tracking; more: waypost status") }

    /// Reports that it is about to end.
    func tellStopping() { send(.stopping, "finishing the track") }

    private func send(_ message: ServiceNotifier.Message, _ words: String) {
        do throws(SystemError) { try notifier.send(message, .status(words)) } catch { logger.warning("\(error.description)") }
    }
}
