/// A destination that cannot be opened as it is configured: what is meant for it waits until somebody has mended that.
public struct UnopenedDestination: Destination {
    /// Why.
    public var reason: String

    /// A destination that is not there, for that reason.
    public init(reason: String) {
        self.reason = reason
    }

    /// As many as any.
    public var maximumBatchCount: Int { 1_000 }

    /// Denied: somebody has to change something.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome { .denied(reason: reason) }
}
