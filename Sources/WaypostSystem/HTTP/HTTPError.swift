import CCurl

/// An exchange with a web server that failed without an answer.
///
/// - Range: the reasons hold host names and the system's messages, never a header, a password or a body.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum HTTPError: Error, Equatable, Sendable {
    /// libcurl is not there.
    case noLibrary(reason: String)
    /// The URL is not valid, or neither http nor https.
    case badURL(reason: String)
    /// A header cannot be sent: a line break in it would begin another one.
    case badHeader(reason: String)
    /// There is no network: the server's name cannot be resolved.
    case unreachable(reason: String)
    /// The server cannot be connected to: no route, no listener.
    case noConnection(reason: String)
    /// It took too long.
    case timedOut(reason: String)
    /// The other side is not who it should be, or does not accept who we are.
    case tls(reason: String)
    /// The connection ended before the answer was whole.
    case cutOff(reason: String)
    /// The answer is longer than the limit.
    case tooLong(limit: Int)
    /// The task was cancelled.
    case cancelled
    /// Redirects form a loop, or lead where they must not.
    case badRedirect(reason: String)

    /// What libcurl returned; nil when there is an answer.
    ///
    /// - Parameters:
    ///   - isEncrypted: whether the URL is https.
    ///   - hasCertificate: whether we have a certificate of our own to show.
    init?(code: Int32, reason: String, isEncrypted: Bool, hasCertificate: Bool) {
        // With TLS 1.3 a server refuses a client after the handshake, by an alert that may be lost with the connection.
        let isClosedAtOnce = TLSWords.say(["getpeername()"], reason)
        let wantsCertificate =
            TLSWords.say(["certificate", "required"], reason) || TLSWords.say(["certificate", "is", "required"], reason)
        switch Int(code) {
        case 0: return nil
        case _ where isEncrypted && !hasCertificate && wantsCertificate:
            self = .tls(reason: "the server wants our certificate (client_certificate)")
        case _ where isEncrypted && !hasCertificate && isClosedAtOnce:
            self = .tls(
                reason:
                    "the server ends the connection right after the handshake: it may want our certificate (client_certificate)"
            )
        case _ where isClosedAtOnce: self = .cutOff(reason: "the server ended the connection at once")
        case CCURL_REFUSED_OPTION: self = .noLibrary(reason: reason)
        case CCURL_BAD_URL, CCURL_UNSUPPORTED_PROTOCOL: self = .badURL(reason: reason)
        case CCURL_NO_PROXY_NAME, CCURL_NO_NAME: self = .unreachable(reason: reason)
        case CCURL_NO_CONNECTION: self = .noConnection(reason: reason)
        case CCURL_TIMED_OUT: self = .timedOut(reason: reason)
        case CCURL_ABORTED: self = .cancelled
        case CCURL_TLS_CONNECT where HTTPError.saysNoTLS(reason):
            self = .tls(reason: "the server speaks plain HTTP; write http://, or the port of its https")
        case CCURL_TLS_CONNECT where TLSWords.sayTooOld(reason): self = .tls(reason: "the server \(TLSWords.tooOld)")
        // libcurl refuses a header line that is longer than about 100 kB.
        case CCURL_NO_MEMORY, CCURL_TOO_LARGE: self = .cutOff(reason: "the head of the answer is too long")
        case CCURL_TLS_CONNECT, CCURL_TLS_ENGINE, CCURL_TLS_OWN_CERTIFICATE, CCURL_TLS_CIPHER, CCURL_TLS_PEER, CCURL_TLS_CA_FILE,
            CCURL_TLS_CRL, CCURL_TLS_ISSUER, CCURL_TLS_PINNED, CCURL_TLS_STATUS, CCURL_TLS_NO_CERTIFICATE:
            self = .tls(reason: reason)
        default: self = .cutOff(reason: reason)
        }
    }

    /// Whether OpenSSL or GnuTLS says that the server did not answer with a TLS handshake.
    private static func saysNoTLS(_ reason: String) -> Bool {
        [["wrong", "version", "number"], ["http", "request"], ["unexpected", "TLS", "packet"]].contains { TLSWords.say($0, reason) }
    }
}

extension HTTPError: CustomStringConvertible {
    /// The failure, in words for people.
    public var description: String {
        switch self {
        case .noLibrary(let reason): reason
        case .badURL(let reason), .badHeader(let reason), .unreachable(let reason), .noConnection(let reason), .timedOut(let reason),
            .cutOff(let reason), .badRedirect(let reason):
            reason
        case .tls(let reason): "TLS: \(reason)"
        case .tooLong(let limit): "the answer is longer than \(limit) bytes"
        case .cancelled: "cancelled"
        }
    }
}
