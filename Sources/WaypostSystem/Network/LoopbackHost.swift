/// Names and addresses by which this machine calls itself.
package enum LoopbackHost {
    /// Whether a connection to the host stays on this machine: `localhost`, `::1`, and addresses that begin with 127; a name such as
    /// `127.example.org` is any machine's.
    package static func contains(_ host: some StringProtocol) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && ListenAddress.isIPv4(host)
    }
}
