import Logging
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostGeofences
import WaypostSystem

/// Reports the tracker's health to every destination that wants it, each at its own interval; causes no wake-ups where none does.
actor HealthReporter {
    private let dispatches: DispatchService
    private let fences: GeofenceKeeper
    private let clock: ConfirmedClock
    private let logFolder: String
    private let startMilliseconds = MonotonicClock.milliseconds
    private var schedule: HealthSchedule

    init(_ configuration: Configuration, dispatches: DispatchService, fences: GeofenceKeeper, clock: ConfirmedClock) {
        (self.dispatches, self.fences, self.clock) = (dispatches, fences, clock)
        logFolder = configuration.log.directory
        let wanting = configuration.destinations.filter(\.isInUse)
        schedule = HealthSchedule(wanting.map { ($0.name, $0.health) }, at: MonotonicClock.milliseconds)
    }

    /// Reports until the task is cancelled; returns at once when no destination wants reports.
    func run() async {
        while let wait = schedule.milliseconds(at: MonotonicClock.milliseconds) {
            // Together with other wake-ups of the machine.
            do { try await Task.sleep(for: .milliseconds(wait), tolerance: .seconds(1)) } catch { return }
            let names = schedule.takeDue(at: MonotonicClock.milliseconds)
            if names.isEmpty { continue }
            await enqueue(names)
        }
    }

    private func enqueue(_ names: [String]) async {
        let all = await fences.fences
        let fenceSet = HealthReport.fenceSet(all)
        let states = (try? await dispatches.dispatcher?.statuses()) ?? []  // What cannot be read is left out.
        for name in names {
            var report = HealthReport(
                destination: name, version: WaypostVersion.text,
                uptimeSeconds: Int((MonotonicClock.milliseconds - startMilliseconds) / 1_000))
            if let status = states.first(where: { $0.state.name == name }) {
                report.waitingCount = status.waitingPositionCount.map { $0 + status.state.waitingEventCount }
                report.deadLetterCount = status.state.deadLetterCount
                report.droppedCount = status.state.droppedCount
                let oldest = try? await dispatches.dispatcher?.oldestAge(of: name)  // As above.
                report.oldestSeconds = oldest.map { Int($0 / .seconds(1)) }
            }
            report.diskFreeByteCount = Syscalls.freeByteCount(at: logFolder)
            report.clock = clock.problem != nil ? .doubted : clock.certainNow != nil ? .certain : clock.now != nil ? .confirmed : .unknown
            (report.fenceCount, report.fenceSet) = (all.count, fenceSet)
            await dispatches.enqueue(report)
        }
    }
}
