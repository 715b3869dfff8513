import Synchronization
import WaypostSystem

/// A destination that is opened from its configuration, and opened again at the next attempt after one of its files has changed.
///
/// Records for a destination that cannot be opened wait. Each attempt tries to open it again, so that neither a secret that has become
/// readable nor a corrected password or a new certificate needs a restart of the tracker.
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

    /// Opens a destination, if that is possible now.
    ///
    /// - Parameters:
    ///   - files: the paths of its secrets, and of other files that it is opened with.
    ///   - open: opens it, and reads the secrets.
    package init(files: [String], open: @escaping @Sendable () throws -> any Destination) {
        (self.files, self.open) = (files, open)
        // A change during the opening is noticed later.
        let stamps = files.map(FileStamp.init)
        state = Mutex((State(open), stamps))
    }

    /// Why it is not open; nil when it is.
    package var reason: String? { state.withLock { if case .shut(let reason) = $0.state { reason } else { nil } } }

    /// Whether one of its secrets has changed since it was opened, or since the attempt failed.
    package var hasNewSecret: Bool {
        let stamps = files.map(FileStamp.init)
        return state.withLock { $0.stamps != stamps }
    }

    private var opened: (any Destination)? { state.withLock { if case .open(let destination) = $0.state { destination } else { nil } } }

    /// One until it is open, because the limit of its format is unknown; then that limit.
    package var maximumBatchCount: Int { opened?.maximumBatchCount ?? 1 }

    /// The obstacle of the open destination; nil before it is open.
    package func obstacle(to record: DispatchRecord) -> String? { opened?.obstacle(to: record) }

    /// Nothing before it is open.
    package func withheld(from batch: DispatchBatch) -> Set<String> { opened?.withheld(from: batch) ?? [] }

    /// Hurries it once it is open.
    package func hurry() { opened?.hurry() }

    /// Opens it where that is due, and sends; denied while it cannot be opened, because a person has to change something.
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

extension ReopeningDestination: LateReceiptKeeper {
    package var hasLateReceipts: Bool { (opened as? any LateReceiptKeeper)?.hasLateReceipts ?? false }

    package func takeLateReceipts(of ids: Set<String>) -> (received: Set<String>, refused: [String: String]) {
        (opened as? any LateReceiptKeeper)?.takeLateReceipts(of: ids) ?? ([], [:])
    }
}
