import Logging
import WaypostPositioning
import WaypostSystem

/// Reports to the service manager that all is well, as long as it is (``WatchdogRule``); otherwise the manager restarts the tracker.
///
/// - Concurrency: an actor; ``run()`` until its task is cancelled.
actor ServiceWatchdog {
    /// A part of the tracker that is asked at every beat, and answers when it gets round to it.
    struct Stage {
        let name: String
        let answer: @Sendable () async -> Void
    }

    /// How many beats fit into the manager's period: one stage may be late by half of it.
    private static let beatsPerPeriod = 4

    private let notifier: ServiceNotifier
    private let stages: [Stage]
    private let logger: Logger
    private var rule: WatchdogRule
    private var told = WatchdogRule.Verdict.well

    init(_ notifier: ServiceNotifier, stages: [Stage], logger: Logger) {
        self.notifier = notifier
        self.stages = stages
        self.logger = logger
        rule = WatchdogRule(stages: stages.map(\.name))
    }

    /// Beats for as long as the manager watches.
    func run() async {
        guard let period = notifier.watchdogPeriod else { return }
        let pause = period / ServiceWatchdog.beatsPerPeriod
        while !Task.isCancelled {
            beat()
            // It may wake up together with others.
            try? await Task.sleep(for: pause, tolerance: pause / 10)  // Cancelled: the loop ends.
        }
    }

    private func beat() {
        let overdue = if case .overdue(let names) = SourceHeartbeat.standing() { names } else { [String]() }
        let (verdict, asks) = rule.beat(overdueSources: overdue)
        for stage in stages where asks.contains(stage.name) {
            Task {
                await stage.answer()
                note(answerOf: stage)
            }
        }
        if verdict == .well {
            do throws(SystemError) { try notifier.send(.alive) } catch { logger.warning("\(error.description)") }
        }
        guard verdict != told else { return }
        told = verdict
        switch verdict {
        case .well: logger.notice("every part of the tracker answers again")
        case .withheld(let stages, let sources):
            // Mostly only late; or the last words before a restart.
            if !stages.isEmpty { logger.warning("no answer from: \(stages.joined(separator: ", "))") }
            if !sources.isEmpty { logger.warning("no sign of life from: \(sources.joined(separator: ", "))") }
        }
    }

    private func note(answerOf stage: Stage) {
        rule.note(answerOf: stage.name)
    }
}
