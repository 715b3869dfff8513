import Waypost
import WaypostSystem

/// Fetches the fences of a web server into a file of the state folder, from which ``GeofenceKeeper`` reads them as from any other.
///
/// The previous copy is used until there is a better one: at a start without a network, and as long as the server fails or sends something
/// without a fence in it. What has not changed is not sent again (ETag). Time-outs, broken connections, 408, 429 and 5xx are tried again after
/// 0.5 s, 1 s, ... five times; after that, and after any other failure, at the next refresh.
/// - Concurrency: an actor; one exchange at a time.
package actor FenceDownload {
    /// What is fetched, and how.
    package struct Settings: Sendable {
        /// The server: http or https.
        package var url: String
        /// The time between two downloads, plus up to a tenth at random, so that a fleet does not come all at once.
        package var refresh = Duration.seconds(3_600)
        /// Where the copy is kept.
        package var folder: String
        /// The wait before the first retry; the wait before the n-th is n times as long.
        package var pause = Duration.milliseconds(500)
        /// Whom to trust and how long to wait.
        package var client = HTTPClient.Settings()

        /// Settings for a server.
        package init(url: String, folder: String) {
            self.url = url
            self.folder = folder
        }
    }

    /// The result of asking the server.
    package enum Outcome: Sendable, Equatable {
        /// There is a new copy.
        case changed
        /// The copy is the same as the server's.
        case unchanged
        /// There is no copy, or only the previous one: why, for people.
        case failed(reason: String)
    }

    /// Where the copy of a server's fences is kept.
    package static func path(in folder: String) -> String { folder + "/fences-download" }

    /// The longest set that is fetched: a board has little memory.
    static let maximumByteCount = 64 << 20
    /// How often a failed download is tried again.
    static let repetitionCount = 5

    private let settings: Settings
    private let client: HTTPClient
    private let copy: String
    /// The URL and the ETag of the copy, one per line.
    private let label: String

    /// A download that has fetched nothing yet; a copy from another server is removed.
    package init(_ settings: Settings) throws(SystemError) {
        self.settings = settings
        var client = settings.client
        client.maximumAnswerByteCount = FenceDownload.maximumByteCount
        self.client = try HTTPClient(client)
        copy = FenceDownload.path(in: settings.folder)
        label = copy + ".label"
        if FenceDownload.lines(of: label).first != settings.url, Syscalls.exists(copy) { try Syscalls.remove(copy) }
    }

    /// Downloads now and after each refresh interval, until the task is cancelled; reports the result of each download.
    package func run(_ tell: @Sendable (Outcome) async -> Void) async {
        while !Task.isCancelled {
            let outcome = await look()
            if Task.isCancelled { return }
            await tell(outcome)
            let wait = settings.refresh + settings.refresh * Double.random(in: 0...0.1)
            do { try await Task.sleep(for: wait) } catch { return }
        }
    }

    /// Asks the server, several times when it does not answer.
    package func look() async -> Outcome {
        var reason = ""
        for attempt in 0...FenceDownload.repetitionCount {
            if attempt > 0 {
                do { try await Task.sleep(for: settings.pause * attempt) } catch { break }
            }
            do throws(Trouble) {
                return try await fetch()
            } catch {
                reason = error.reason
                if !error.isTemporary { break }
            }
        }
        let kept = Syscalls.exists(copy) ? "; the fences read before stay" : ""
        return .failed(reason: "\(HTTPURL.shown(settings.url)): \(reason)\(kept)")
    }

    private struct Trouble: Error {
        var reason: String
        var isTemporary = false
    }

    private func fetch() async throws(Trouble) -> Outcome {
        let known = FenceDownload.lines(of: label)
        let tag = Syscalls.exists(copy) && known.count == 2 && known[0] == settings.url ? known[1] : nil
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await client.send(.get(settings.url, unlessETag: tag))
        } catch {
            switch error {
            case .unreachable, .noConnection, .timedOut, .cutOff: throw Trouble(reason: "\(error)", isTemporary: true)
            case .tooLong, .cancelled, .noLibrary, .badURL, .badHeader, .tls, .badRedirect: throw Trouble(reason: "\(error)")
            }
        }
        switch response.status {
        case 200: break
        case 304 where tag != nil: return .unchanged
        case 408, 429, 500...599: throw Trouble(reason: "answers \(response.status)", isTemporary: true)
        default: throw Trouble(reason: "answers \(response.status)")
        }
        do throws(FenceLoadFailure) { _ = try FenceLoader.fences(in: response.body) } catch { throw Trouble(reason: error.reason) }
        do throws(SystemError) {
            // Without a label the copy is fetched once more, and never mistaken for another server's.
            if Syscalls.exists(label) { try Syscalls.remove(label) }
            try AtomicFile.write(response.body, to: copy, mode: 0o600)
            let tag = response.eTag.map { "\n\($0)" } ?? ""
            try AtomicFile.write(Array("\(settings.url)\(tag)".utf8), to: label, mode: 0o600)
        } catch {
            throw Trouble(reason: "cannot be kept: \(error.description)")
        }
        return .changed
    }

    private static func lines(of path: String) -> [String] {
        // A missing or unreadable label counts as empty: the copy is fetched again.
        let bytes = (try? Syscalls.contents(of: path, limit: 16 << 10, as: .own)) ?? nil  // See above.
        return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
