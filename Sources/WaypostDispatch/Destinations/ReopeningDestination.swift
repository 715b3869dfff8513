import Synchronization
import WaypostSystem

/// A destination that is opened as it is configured, and opened again at the next attempt once one of its secrets has changed.
///
/// What is meant for one that cannot be opened waits. Each attempt tries to open it again, so that neither a secret that can be read by now
/// nor a corrected password needs a restart of the tracker.
/// - Concurrency: as every destination.
package final class ReopeningDestination: Destination {
    private enum State {
        case shut(reason: String)
        case open(any Destination)

        init(_ open: () throws -> any Destination) {
            do { self = .open(try open()) } catch { self = .shut(reason: "\(error)") }
        }
    }

    private let state: Mutex<(state: State, stamps: [FileStamp?])>
    private let files: [String]
    private let open: @Sendable () throws -> any Destination

    /// Opens a destination, if that can be done now.
    ///
    /// - Parameters:
    ///   - files: the paths of its secrets.
    ///   - open: opens it, which reads them.
    package init(files: [String], open: @escaping @Sendable () throws -> any Destination) {
        (self.files, self.open) = (files, open)
        // A change that comes while it is opened is seen later.
        let stamps = files.map(FileStamp.init)
        state = Mutex((State(open), stamps))
    }

    /// Why it is not open; nil when it is.
    package var reason: String? { state.withLock { if case .shut(let reason) = $0.state { reason } else { nil } } }

    /// Whether one of its secrets has changed since it was opened, or could not be.
    package var hasNewSecret: Bool {
        let stamps = files.map(FileStamp.init)
        return state.withLock { $0.stamps != stamps }
    }

    private var opened: (any Destination)? { state.withLock { if case .open(let destination) = $0.state { destination } else { nil } } }

    /// One until it is open, as nobody knows how many its format has room for; then as many as that has.
    package var maximumBatchCount: Int { opened?.maximumBatchCount ?? 1 }

    /// Nothing that is known before it is open.
    package func obstacle(to record: DispatchRecord) -> String? { opened?.obstacle(to: record) }

    /// Nothing before it is open.
    package func withheld(from batch: DispatchBatch) -> Set<String> { opened?.withheld(from: batch) ?? [] }

    /// Hurries it once it is open.
    package func hurry() { opened?.hurry() }

    /// Opens it where that is due, and sends; denied while it cannot be opened, as somebody has to change something.
    package func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if !hasNewSecret, let opened { return await opened.send(batch) }
        let stamps = files.map(FileStamp.init)
        let new = State(open)
        state.withLock { $0 = (new, stamps) }
        switch new {
        case .shut(let reason): return .denied(reason: reason)
        case .open(let destination):
            let hasWord = batch.records.contains { destination.carries($0) }
            return hasWord ? await destination.send(batch) : .delivered(refused: [:], answer: "")
        }
    }
}
