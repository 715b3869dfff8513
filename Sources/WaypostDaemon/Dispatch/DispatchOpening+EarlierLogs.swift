import Logging
import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostKit
import WaypostRecording
import WaypostSystem

// Logs in other folders, which earlier runs had.
extension DispatchOpening {
    /// Remembers the folder of the log before the outbox is opened: when it cannot be in this run, the next one sends from there.
    func noteLog() {
        if let former = knownLogs.read().first { takeOverMarks(of: LogFolder(path: former)) }
        knownLogs.write(knownLogs.folders(with: configuration.log.directory), after: given)
    }

    /// Gives the log what that of the last run knows of the destinations, when that was another one: the outbox may be lost by now.
    private func takeOverMarks(of former: LogFolder) {
        let here = configuration.log.directory
        // A link could lead root to other users' files.
        guard !configuration.log.isOff, Syscalls.resolvingLinks(former.path) != Syscalls.resolvingLinks(here),
            Syscalls.isOwnFolder(here + "/journal")
        else { return }
        let known = try? Syscalls.contents(of: former.destinationsPath, limit: KnownLogs.byteLimit, as: .own)  // See below.
        // Without it, a lost outbox goes on by what is here.
        if let known { try? AtomicFile.write(known, to: marksPath, adoptsFolderOwner: true) }  // See above.
    }

    /// The runs since the outbox could last be opened.
    var unopenedRuns: UnopenedRuns {
        UnopenedRuns(log: LogFolder(path: configuration.log.directory), earlier: knownLogs.read(), stateFolder: stateFolder)
    }

    /// Remembers the destinations of this run: they begin with what it logs, also when only a later one can open the outbox.
    func noteUnopened() {
        guard !configuration.log.isOff else { return }
        let device = configuration.dispatch.device
        let takers = destinations.map { ($0.name, $0.settings(device: device).sendsPositions) }
        unopenedRuns.add(
            UnopenedRun(
                after: given, destinations: Dictionary(takers) { first, _ in first }, isOptedOut: configuration.dispatch.isOptedOut))
    }

    /// Makes up for the runs that could not open the outbox.
    func makeUp(for runs: [UnopenedRun], in outbox: Outbox, _ logged: LoggedEvents) async throws(OutboxError) {
        for run in runs {
            _ = try? await logged.offer(to: outbox, through: run.after)  // Offered again by the feeder, which says why not.
            try await outbox.makeUp(for: run)
        }
    }

    /// Logs in other folders.
    struct EarlierLogs {
        /// Those from which something may still be to be sent.
        var logs: [SuccessiveLogs.Earlier] = []
        /// The folders to remember.
        var folders: [String] = []
        /// The numbers in those that cannot be read now: destinations get them in a later run.
        var absent: [PositionCursor.Stretch] = []
        /// What is wrong, for people.
        var problems: [String] = []
    }

    /// Looks at the logs in other folders.
    ///
    /// - Parameter unerased: what could not be erased there, and is not sent.
    func earlierLogs(_ outbox: Outbox, _ unerased: [KnownLogs.Unerased]) async -> EarlierLogs {
        let current = LogFolder(path: configuration.log.directory)
        var found = EarlierLogs()
        let states = (try? await outbox.destinations()) ?? []  // The attachment reports the error.
        // What a run logged without the outbox may be for destinations that it does not know yet.
        let eventsKept = min(await outbox.eventsKeptThrough, unopenedRuns.read().first?.after ?? .max)
        for old in knownLogs.read() {
            guard old != current.path, Syscalls.resolvingLinks(old) != Syscalls.resolvingLinks(current.path) else { continue }
            let numbers = knownLogs.numbers(in: old, through: given)
            do {
                guard LogFolder(path: old).hasJournals else {
                    if try !isOwed(numbers, to: states, besides: current.journals().map(\.firstSequence)) { continue }
                    throw RecordingError.cannotRead(path: old, cause: .isMissing(old))
                }
                let folder = LogFolder(path: old)
                let (types, hidden) = (configuration.log.types, unerased.map(\.erased))
                guard let log = try SuccessiveLogs.Earlier(folder, types: types, besides: current, hiding: hidden, noteLoss: noteLoss)
                else { continue }
                let isReadable = log.ends(before: given + 1)
                if isReadable { found.logs.append(log) }
                // Also those that take no positions now.
                var count = 0
                for state in states { count = max(count, try await log.count(waitingFor: state)) }
                if count == 0 {
                    // The outbox may still take events from there, or take them again if it is lost; and something may be left to erase.
                    let isUnerased = unerased.contains { $0.folders.contains(old) }
                    if isReadable, try isUnerased || folder.lastSequence() > eventsKept { found.folders.append(old) }
                    continue
                }
                let verb = count == 1 ? "waits" : "wait"
                guard isReadable else {
                    found.problems.append(
                        "\(counted(count, "position")) \(verb) in the log at \(old), and will not be sent: its numbers come again")
                    continue
                }
                logger.notice("\(counted(count, "position")) \(verb) in the log at \(old), and will be sent from there: keep it until then")
            } catch {
                found.absent += numbers
                let remedy = LogFolder(path: old).hasJournals ? "" : "; if it is gone for good, make an empty folder \(old)/journal"
                found.problems.append(
                    "positions may wait in the log at \(old), and are not sent: \(DispatchOpening.reason(error))\(remedy)")
            }
            found.folders.append(old)
        }
        return found
    }

    /// Whether destinations still lack what a folder had that is away: it was not moved to the current one, and not everything has arrived.
    ///
    /// - Parameters:
    ///   - numbers: what it had; empty when that is not known.
    ///   - starts: the first numbers of the journals in the current folder.
    private func isOwed(_ numbers: [PositionCursor.Stretch], to states: [DestinationState], besides starts: [UInt64]) -> Bool {
        guard !numbers.isEmpty else {
            return states.contains { state in
                state.positions.first < given && !starts.contains { $0 <= state.positions.first + 1 }
            }
        }
        let isMoved = starts.contains { start in numbers.contains { $0.after < start && start <= $0.through } }
        return !isMoved && states.contains { $0.lacks(numbers) }
    }
}
