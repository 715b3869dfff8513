import NIOCore

/// What one browser, and all of them together, may take.
struct PageLimits: Sendable {
    /// Connections at the same time; when there are more, the one is ended that is needed least: see ``PageCrowd``.
    var connections = 64
    /// Streams at the same time; one of the owner takes a guest's place.
    var streams = 32
    /// Files that are sent at the same time: each has its pieces in memory, and 60 of them left 50 MB behind in the allocator.
    var downloads = 8
    /// The bytes of a request; a browser's has one or two thousand.
    var requestBytes = 16_384
    /// How long a request may take to arrive.
    var requestTime = TimeAmount.seconds(10)
    /// How long a connection may stay open between requests.
    var idleTime = TimeAmount.seconds(60)
    /// How long a browser may take nothing of what is sent.
    var stallTime = TimeAmount.seconds(30)
    /// Events that wait for a browser that takes nothing; positions are left out instead.
    var waitingEvents = 64
    /// The number of unsent bytes above which nothing more is sent.
    var unsentBytes = 256 << 10
}
