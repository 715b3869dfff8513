import Waypost
import WaypostControl
import WaypostSystem

// What this program may know of the position.
extension Tracker {
    /// What this program's user may know of the position now, and when.
    public var authorisation: Authorisation {
        get async throws(ControlError) { try await ask(AuthorisationRequest()).authorisation }
    }

    /// What this program may know, at once and then at each change; the administrator is asked for the position while the loop runs.
    ///
    /// ```swift
    /// for try await authorisation in tracker.authorisations(asking: "shows the van on the wall of the office") {
    ///     print(authorisation.level)
    /// }
    /// ```
    /// The first element is what may be known now. The loop connects again when the tracker is restarted; see ``TrackerFeed``.
    /// - Parameter reason: why the program needs the position, for the administrator, 1 to 500 characters; nil only to be told.
    public func authorisations(asking reason: String? = nil) -> AuthorisationFeed { AuthorisationFeed(self, reason: reason) }

    /// Has full accuracy for a purpose until the result is released or dropped.
    ///
    /// For users who may know roughly where the device is. It holds for all programs of the user.
    /// - Parameters:
    ///   - purpose: the key of a purpose that the policy file explains.
    ///   - reason: why, for the administrator; nil for none.
    ///   - limit: how long to wait in all, for the administrator too where the policy does not give it at once; nil waits for the answer for
    ///     ever. A tracker that does not even greet within ``usualPatience`` is not waited for.
    /// - Errors: `ControlError.refused(code:message:)` for a purpose that the policy does not explain; `ControlError.notAuthorised(message:)` without
    ///   at least a reduced level; `ControlError.timedOut`.
    public func fullAccuracy(
        for purpose: String, reason: String? = nil, within limit: Duration? = Tracker.usualPatience
    ) async throws(ControlError) -> FullAccuracy {
        let deadline = limit.map { ContinuousClock.now + $0 }
        let link = try await connect(within: limit)
        let request = AuthorisationRequest(reason: reason, purpose: purpose, isFollowed: true)
        let answer = try await link.ask(request, within: deadline.map { $0 - .now }).answer
        var level = answer.authorisation.level
        while level != .full {
            guard level.isAllowed else { throw .notAuthorised(message: "the position is not for this user any more") }
            let line = try await link.nextLine(within: deadline.map { $0 - .now })
            if case .authorisation(let authorisation)? = try? WatchLine(line: line) { level = authorisation.level }  // Another line.
        }
        return FullAccuracy(purpose: purpose, link)
    }
}

/// Full accuracy for a while: until it is released or dropped, the tracker is restarted, or the administrator's grant ends.
///
/// - Concurrency: from anywhere.
public final class FullAccuracy: Sendable {
    /// The purpose.
    public let purpose: String
    private let link: ControlLink

    init(purpose: String, _ link: ControlLink) {
        (self.purpose, self.link) = (purpose, link)
    }

    deinit { release() }

    /// Ends it.
    public func release() { link.close() }
}

/// What a program may know, at once and then at each change.
public struct AuthorisationFeed: AsyncSequence, Sendable {
    /// What may be known.
    public typealias Element = Authorisation
    /// The error that ends a loop.
    public typealias Failure = ControlError

    private let tracker: Tracker
    private let reason: String?

    init(_ tracker: Tracker, reason: String?) {
        (self.tracker, self.reason) = (tracker, reason)
    }

    /// An independent loop; it connects when the first element is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(tracker: tracker, reason: reason) }

    /// Returns one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let tracker: Tracker
        fileprivate let reason: String?
        private var link: ControlLink?
        private var last: Authorisation?
        private var reconnection = Reconnection()

        fileprivate init(tracker: Tracker, reason: String?) {
            (self.tracker, self.reason) = (tracker, reason)
        }

        /// Waits for the next element, which differs from the one before; nil if the task was cancelled.
        ///
        /// - Parameter actor: the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ControlError) -> Authorisation? {
            while !Task.isCancelled {
                do throws(ControlError) {
                    let news = try await news(isolation: actor)
                    guard let news, news != last else { continue }
                    last = news
                    return news
                } catch {
                    link = nil
                    if error == .cancelled { return nil }
                    guard error.isPassing else { throw error }
                    _ = reconnection.noteFailure(error, at: MonotonicClock.milliseconds)
                }
            }
            return nil
        }

        private mutating func news(isolation actor: isolated (any Actor)?) async throws(ControlError) -> Authorisation? {
            if let link {
                let line = try await link.nextLine()
                guard case .authorisation(let authorisation)? = try? WatchLine(line: line) else { return nil }  // Of a later version.
                return authorisation
            }
            do { try await Task.sleep(for: reconnection.pause) } catch { throw .cancelled }
            let new = try await tracker.connect()
            let answer = try await new.ask(AuthorisationRequest(reason: reason, isFollowed: true), within: Tracker.usualPatience).answer
            reconnection.noteConnection(at: MonotonicClock.milliseconds)
            link = new
            return answer.authorisation
        }
    }
}
