import Waypost

/// How a broker is connected to, whatever is said to it.
package struct BrokerConnection: Sendable, Equatable {
    /// Our name for the broker; empty = follows from the machine's id and the destination's name.
    package var clientID = ""
    /// Whether the connection is held, and the broker says when the device is there and when it is gone.
    package var showsPresence = false
    /// So many messages are on their way at most.
    package var window = 20

    static let clientIDKey = ConfigurationKey<DestinationConfiguration>(
        "client_id", \.broker.clientID, .plainText,
        "Broker: the client ID. Empty = made from the machine's id and the destination's name.")
    static let presenceKey = ConfigurationKey<DestinationConfiguration>(
        "presence", \.broker.showsPresence, .truth,
        "Broker: keeps the connection open; the broker tells others when this box comes and goes.")
    static let windowKey = ConfigurationKey<DestinationConfiguration>(
        "window", \.broker.window, .count(in: 1...1_000), "Broker: at most this many messages are in flight.")

    /// The keys of every kind that speaks to brokers.
    static let keys = [clientIDKey, presenceKey, windowKey]
}
