import CMosquitto

/// The failure of a connection to a broker, or of messages on it.
///
/// - Range: the reasons hold host names, client ids and the system's messages, never a password, a topic's message or a position.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum MQTTError: Error, Equatable, Sendable {
    /// libmosquitto is not there.
    case noLibrary(reason: String)
    /// The settings cannot be used: a URL, a certificate file, a topic.
    case badSettings(reason: String)
    /// There is no network: the broker's name cannot be resolved.
    case unreachable(reason: String)
    /// The broker cannot be connected to: no route, no listener.
    case noConnection(reason: String)
    /// The broker refuses us: user, password, client id.
    case refused(reason: String)
    /// The broker does not accept us at the moment.
    case busy(reason: String)
    /// It took too long.
    case timedOut(reason: String)
    /// The other side is not who it should be, or does not accept who we are.
    case tls(reason: String)
    /// The broker has more for us than we accept; it forgets that at our next connection.
    case tooLong(reason: String)
    /// The connection broke.
    case lost(reason: String)
    /// The broker accepted us and then closed the connection, for the `count`-th time in a row: it was stopped, or another client connected with
    /// our id, which ends the first one's connection.
    case endedByBroker(clientID: String, count: Int)
    /// The task was cancelled.
    case cancelled

    /// The meaning of a broker's answer to a connection; nil when it accepts us.
    init?(answer: Int32) {
        switch Int(answer) {
        case 0: return nil
        case CMOSQUITTO_REFUSED_VERSION: self = .refused(reason: "the broker does not speak MQTT 3.1.1")
        case CMOSQUITTO_REFUSED_CLIENT_ID: self = .refused(reason: "the broker refuses the client id")
        case CMOSQUITTO_REFUSED_BUSY: self = .busy(reason: "the broker says that it is not available")
        case CMOSQUITTO_REFUSED_PASSWORD: self = .refused(reason: "the broker refuses the user or the password")
        case CMOSQUITTO_REFUSED_CLIENT:
            self = .refused(reason: "the broker does not let this client in (user, password, or its access list)")
        default: self = .refused(reason: "the broker refuses the connection: \(answer)")
        }
    }

    /// Whether OpenSSL says "unexpected eof"; searching the text would link the regular expression engine, a megabyte.
    private static func saysUnexpectedEnd(_ reason: String) -> Bool {
        let words = reason.split(separator: " ")
        return zip(words, words.dropFirst()).contains { $0.hasSuffix("unexpected") && $1 == "eof" }
    }

    /// What libmosquitto returned.
    init(code: Int32, reason: String) {
        switch Int(code) {
        // A connection that ends in the middle of the handshake was not refused.
        case CMOSQUITTO_TLS where MQTTError.saysUnexpectedEnd(reason): self = .lost(reason: reason)
        case CMOSQUITTO_TLS where TLSWords.sayTooOld(reason): self = .tls(reason: "the broker \(TLSWords.tooOld)")
        case CMOSQUITTO_TLS: self = .tls(reason: reason)
        case CMOSQUITTO_TOO_LONG: self = .tooLong(reason: reason)
        case CMOSQUITTO_OFFENCE: self = .refused(reason: reason)
        case CMOSQUITTO_INVALID: self = .badSettings(reason: reason)
        case CMOSQUITTO_NO_NAME, CMOSQUITTO_LOOKUP: self = .unreachable(reason: reason)
        case CMOSQUITTO_SYSTEM: self = .noConnection(reason: reason)
        case CMOSQUITTO_KEEPALIVE: self = .timedOut(reason: reason)
        default: self = .lost(reason: reason)
        }
    }
}

extension MQTTError: CustomStringConvertible {
    /// The failure, in words for people.
    public var description: String {
        switch self {
        case .noLibrary(let reason), .badSettings(let reason), .unreachable(let reason), .noConnection(let reason),
            .refused(let reason), .busy(let reason), .timedOut(let reason), .lost(let reason):
            reason
        case .tooLong(let reason): "\(reason); what it keeps for this client is thrown away"
        case .tls(let reason): "TLS: \(reason)"
        case .endedByBroker(let clientID, let count) where count > 1:
            """
            the broker threw us out \(count) times in a row: another client connects with the id "\(clientID)" (a cloned card has the same \
            machine id), or the broker does not stay up
            """
        case .endedByBroker(let clientID, _):
            "the broker closed the connection: it was stopped, or another client has connected with the id \"\(clientID)\""
        case .cancelled: "cancelled"
        }
    }
}
