/// Names and addresses by which this machine calls itself.
enum LoopbackHost {
    /// Whether a connection to the host stays on this machine.
    static func contains(_ host: String) -> Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
