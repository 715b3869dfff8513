import Synchronization

/// A destination that could not be opened as it is configured: what is meant for it waits until somebody has mended that.
///
/// Each attempt tries to open it again, so that a secret that can be read by now needs no new start of the tracker.
/// - Concurrency: as every destination.
public final class UnopenedDestination: Destination {
    private enum State {
        case shut(reason: String)
        case open(any Destination)
    }

    private let state: Mutex<State>
    private let open: @Sendable () throws -> any Destination

    /// A destination that is not there yet.
    ///
    /// - Parameters:
    ///   - reason: why, for people.
    ///   - open: opens it.
    public init(reason: String, open: @escaping @Sendable () throws -> any Destination) {
        state = Mutex(.shut(reason: reason))
        self.open = open
    }

    /// Why it is not open; nil once it is.
    public var reason: String? { state.withLock { if case .shut(let reason) = $0 { reason } else { nil } } }
    private var opened: (any Destination)? { state.withLock { if case .open(let destination) = $0 { destination } else { nil } } }

    /// One until it is open, as nobody knows how many it takes; then as many as it takes.
    public var maximumBatchCount: Int { opened?.maximumBatchCount ?? 1 }

    /// Nothing that is known before it is open.
    public func obstacle(to record: DispatchRecord) -> String? { opened?.obstacle(to: record) }

    /// Nothing before it is open.
    public func withheld(from batch: DispatchBatch) -> Set<String> { opened?.withheld(from: batch) ?? [] }

    /// Hurries it once it is open.
    public func hurry() { opened?.hurry() }

    /// Opens it and sends; denied while it cannot be opened, as somebody has to change something.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if let opened { return await opened.send(batch) }
        let destination: any Destination
        do { destination = try open() } catch {
            state.withLock { $0 = .shut(reason: "\(error)") }
            return .denied(reason: "\(error)")
        }
        state.withLock { $0 = .open(destination) }
        let hasWord = batch.records.contains { destination.carries($0) }
        return hasWord ? await destination.send(batch) : .delivered(refused: [:], answer: "")
    }
}
