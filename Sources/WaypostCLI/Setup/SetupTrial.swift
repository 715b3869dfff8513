import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

/// Whether a server can be reached: tried without sending it anything about this device.
struct SetupTrial {
    /// The result, in one line.
    let words: String
    /// Whether the server refuses this user, password or token.
    let isRefused: Bool

    private static let patience = Duration.seconds(8)

    init(words: String, isRefused: Bool) {
        (self.words, self.isRefused) = (words, isRefused)
    }

    /// Tries a server.
    init(_ destination: DestinationConfiguration, secret: String?) {
        let name = destination.url
        let outcome = Patience.during("trying \(name)") { SetupTrial.result(of: destination, secret ?? SetupTrial.stored(destination)) }
        isRefused = if case .refused = outcome { true } else { false }
        words =
            switch outcome {
            case .reached: "\(name): reachable"
            case .refused(let why): "\(name): reachable, but it refuses: \(why); records wait until that is fixed"
            case .certificate(let why): "\(name): the connection is not safe: \(why); nothing is sent until that is fixed"
            case .notReached(let why): "\(name): not reachable now: \(why); everything is kept and sent once the server can be reached"
            }
    }

    /// How a trial ended.
    private enum Outcome: Equatable {
        case reached
        case refused(String)
        case certificate(String)
        case notReached(String)
    }

    private static func stored(_ destination: DestinationConfiguration) -> String? {
        guard let path = destination.tokenFile ?? destination.passwordFile else { return nil }
        // The check reports one that cannot be read.
        guard let bytes = try? Syscalls.contents(of: path) else { return nil }  // See above.
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    private static func result(of destination: DestinationConfiguration, _ secret: String?) -> Outcome {
        let result = Monitor<Outcome?>(nil)
        Task.detached {
            let outcome = destination.isBroker ? await broker(destination, secret) : await webServer(destination, secret)
            result.withLock { $0 = outcome }
        }
        return result.wait { $0 }
    }

    private static func broker(_ destination: DestinationConfiguration, _ password: String?) async -> Outcome {
        do throws(MQTTError) {
            // Under the tracker's own id it would end the tracker's connection.
            var settings = try MQTTSettings(url: destination.url, clientID: "waypost-setup")
            // So that nothing of the trial stays on the broker.
            settings.keepsSession = false
            if !destination.user.isEmpty, destination.kindType.userRole == .signsIn || password != nil { settings.user = destination.user }
            settings.password = password
            settings.caFile = destination.caFile
            settings.connectTimeout = patience
            let client = MQTTClient(settings)
            defer { client.close() }
            _ = try await client.connect()
            return .reached
        } catch {
            switch error {
            case .refused, .busy: return .refused("\(error)")
            case .tls: return .certificate("\(error)")
            default: return .notReached("\(error)")
            }
        }
    }

    private static func webServer(_ destination: DestinationConfiguration, _ secret: String?) async -> Outcome {
        var settings = HTTPClient.Settings()
        settings.caFile = destination.caFile
        (settings.connectTimeout, settings.timeout) = (patience, patience)
        var request = HTTPRequest("GET", destination.url)
        if let secret {
            let credentials =
                destination.user.isEmpty ? "Bearer \(secret)" : "Basic \(Base64.encode(Array("\(destination.user):\(secret)".utf8)))"
            request.headers.append(.init("Authorization", credentials))
        }
        do {
            let status = try await HTTPClient(settings).send(request).status
            // Other codes, such as 405, mean only that this request is not the right one.
            return status == 401 || status == 403
                ? .refused("HTTP status \(status): the user, password or token is wrong or missing") : .reached
        } catch let error as HTTPError {
            switch error {
            case .tls: return .certificate("\(error)")
            case .tooLong, .badRedirect: return .reached
            default: return .notReached("\(error)")
            }
        } catch {
            return .notReached("\(error)")
        }
    }
}
