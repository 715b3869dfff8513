import Waypost

/// How to connect to a broker, for any format.
package struct BrokerConnection: Sendable, Equatable {
    /// The client id for the broker; empty = derived from the machine's id and the destination's name.
    package var clientID = ""
    /// Whether the connection is kept open, and the broker announces when the device comes and goes.
    package var showsPresence = false
    /// The largest number of messages on their way.
    package var window = 20

    static let clientIDKey = ConfigurationKey<DestinationConfiguration>(
        "client_id", \.broker.clientID, .plainText,
        "Broker: the client ID. Empty = made from the machine's id and the destination's name.")
    static let presenceKey = ConfigurationKey<DestinationConfiguration>(
        "presence", \.broker.showsPresence, .truth,
        "Broker: keeps the connection open; the broker tells others when this device comes and goes.")
    static let windowKey = ConfigurationKey<DestinationConfiguration>(
        "window", \.broker.window, .count(in: 1...1_000), "Broker: at most this many messages are in flight.")

    /// The keys of every kind that uses a broker.
    static let keys = [clientIDKey, presenceKey, windowKey]
}
