/// What waypost, a manager and its source can do on this device; the tracker answers `capabilities` with the same.
public struct PositioningCapabilities: Sendable, Hashable {
    /// A receiver that is plugged in and known by its USB ids.
    public struct Receiver: Sendable, Hashable {
        /// The device: `/dev/ttyACM0`.
        public var path: String
        /// Its name: `u-blox 8`.
        public var name: String

        init(path: String, name: String) {
            (self.path, self.name) = (path, name)
        }
    }

    /// The version of waypost.
    public var version: String
    /// The receivers that are plugged in and known by their USB ids, whether or not the source uses one.
    public var receivers: [Receiver]
    /// Whether a listener can ask for significant changes only: always.
    public var hasSignificantChanges = true
    /// Whether the source can be stopped and continued, so that the receiver sleeps when few positions are needed.
    public var canPause: Bool
    /// Whether something switches the receiver off in pauses.
    public var canSwitchReceiverOff: Bool
    /// Whether the receiver also sleeps at rest when every fix is needed.
    public var pausesAtRest: Bool
    /// Whether positions are matched to roads.
    public var matchesPositions: Bool
    /// How many recordings or simulated drives can be made stationary, put into a loss and reset (``PositionSource/playbackControls``).
    public var playbackCount: Int

    /// Whether a recording or a simulated drive is played.
    public var isPlayback: Bool { playbackCount > 0 }
}
