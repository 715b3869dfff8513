import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Sends chrony the time of the satellites once a second.
actor ChronyFeeder: PositioningConsumer {
    private let path: String
    private let logger: Logger
    private var rule = ReferenceTimeRule(schemes: SourceRegistry.clockSchemes)
    private var state = State.quiet

    private enum State: Equatable {
        case quiet
        case fed
        case failed(Int32)
    }

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    func consume(_ update: PositioningUpdate) {
        guard case .position(let position) = update, let time = position.time else { return }
        guard rule.process(position, at: BootClock.milliseconds) else { return }
        do throws(SystemError) {
            try ChronySocket.send(trueMilliseconds: time.millisecondsSince1970, to: path)
            if state != .fed { logger.info("chrony gets the time: \(path)") }
            state = .fed
        } catch {
            // chronyd may be started later, or again; each reason is reported once.
            if state != .failed(error.code) { logger.warning("chrony gets no time: \(error.description)") }
            state = .failed(error.code)
        }
    }
}
