import Waypost
import WaypostSystem

/// A blocking client of the control socket, for programs that have nothing else to do.
///
/// ```swift
/// var client = try ControlClient.connect(to: path)
/// print(try client.ask(StatusRequest()).health)
/// try client.send(WatchRequest(sky: true))
/// while true { print(try client.nextWatchLine()) }
/// ```
/// One connection can do both: ``ask(_:timeout:)`` leaves lines of the watch that come before the answer for
/// ``nextWatchLine(timeout:)``.
public struct ControlClient: ~Copyable {
    /// The daemon's version, from its HELLO.
    public private(set) var daemonVersion = ""
    /// Whether a service manager started the daemon and keeps its messages.
    public private(set) var isOfService = false

    private let descriptor: Int32
    /// Bytes that were received but not yet returned.
    private var received: [UInt8] = []
    /// Bytes at the start of `received` that have been returned.
    private var given = 0
    /// Bytes of `received` that are known to have no line feed.
    private var searched = 0
    /// Other lines that came during the wait for an answer.
    private var aside: [[UInt8]] = []
    /// How many requests have no answer yet.
    private var unansweredCount = 0

    /// Connects, and waits for the daemon to say hello.
    ///
    /// - Errors: ``ControlError/notRunning(path:)``, ``ControlError/noPermission(path:)``, ``ControlError/cannotConnect(path:reason:)``,
    ///   ``ControlError/protocolMismatch(found:)``, ``ControlError/timedOut``, ``ControlError/refused(code:message:)`` when there are too
    ///   many connections.
    public static func connect(to path: String, timeout: Duration = .seconds(5)) throws(ControlError) -> ControlClient {
        var client = ControlClient(descriptor: try descriptor(connectedTo: path))
        try client.takeHello(timeout: timeout)
        return client
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { Syscalls.close(descriptor) }

    private mutating func takeHello(timeout: Duration) throws(ControlError) {
        let line = try nextLine(timeout: timeout)
        let hello: Greeting
        do { hello = try Greeting(line: line) } catch { throw .protocolMismatch(found: nil) }
        guard hello.protocolVersion == ControlProtocol.version else { throw .protocolMismatch(found: hello.protocolVersion) }
        daemonVersion = hello.version
        isOfService = hello.isOfService
    }

    /// Sends a request.
    ///
    /// - Parameter request: the request; its answer is among the next lines, or for a ``WatchRequest`` all of them.
    public mutating func send(_ request: some ControlRequest) throws(ControlError) {
        if request is any ControlVerb { unansweredCount += 1 }
        do { try UnixSocket.sendAll(descriptor, request.line + [UInt8(ascii: "\n")]) } catch {
            throw error.isConnectionEnd ? .closed(byService: isOfService) : .connectionFailed(reason: error.description)
        }
    }

    /// Sends a request, and waits for the answer.
    ///
    /// Lines of a watch on this connection, and answers to earlier requests, wait for ``nextLine(timeout:)``.
    /// - Parameters:
    ///   - verb: the request.
    ///   - timeout: how long to wait.
    /// - Errors: ``ControlError/refused(code:message:)`` and ``ControlError/notAuthorised(message:)``; ``ControlError/unreadable(_:)`` when the
    ///   answer is not what belongs to the verb; ``ControlError/timedOut``.
    public mutating func ask<Verb: ControlVerb>(_ verb: Verb, timeout: Duration = .seconds(5)) throws(ControlError) -> Verb.Answer {
        let line = try answer(to: verb, timeout: timeout)
        do { return try Verb.Answer(line: line) } catch { throw .unreadable(error) }
    }

    /// Sends a request, and waits for the raw answer, one line without its line feed.
    ///
    /// - Parameters:
    ///   - verb: the request.
    ///   - timeout: how long to wait.
    public mutating func answer(to verb: some ControlVerb, timeout: Duration = .seconds(5)) throws(ControlError) -> [UInt8] {
        let deadline = ControlClient.deadline(after: timeout)
        let earlierCount = unansweredCount
        try send(verb)
        for _ in 0..<earlierCount { aside.append(try receiveAnswer(before: deadline)) }
        return try checked(try receiveAnswer(before: deadline))
    }

    /// Waits for the next line that answers a request; lines of a watch are put aside.
    private mutating func receiveAnswer(before deadline: Int64) throws(ControlError) -> [UInt8] {
        while true {
            let line = try receiveLine(before: deadline)
            if !ControlProtocol.isWatched(line) { return line }
            if aside.count == ControlClient.mostLinesAside { aside.removeFirst() }
            aside.append(line)
        }
    }

    /// The largest number of lines of a watch that wait, as in the daemon; after that the oldest are dropped.
    private static let mostLinesAside = 1_024

    /// Waits for the next line, without its line feed.
    ///
    /// - Parameter timeout: how long to wait; nil waits for ever.
    /// - Errors: an ERROR line is thrown as ``ControlError/notAuthorised(message:)`` or ``ControlError/refused(code:message:)``; after
    ///   ``ControlError/timedOut`` you can keep waiting.
    public mutating func nextLine(timeout: Duration? = nil) throws(ControlError) -> [UInt8] {
        if !aside.isEmpty { return try checked(aside.removeFirst()) }
        return try checked(try receiveLine(before: timeout.map(ControlClient.deadline(after:))))
    }

    /// Waits for the next line of a watch.
    ///
    /// - Parameter timeout: how long to wait; nil waits for ever.
    /// - Errors: as those of ``nextLine(timeout:)``; ``ControlError/unreadable(_:)`` when the line is none of a watch.
    public mutating func nextWatchLine(timeout: Duration? = nil) throws(ControlError) -> WatchLine {
        let line = try nextLine(timeout: timeout)
        do { return try WatchLine(line: line) } catch { throw .unreadable(error) }
    }

    /// The line, unless it is a refusal.
    private func checked(_ line: [UInt8]) throws(ControlError) -> [UInt8] {
        if let refusal = ControlError(refusalOn: line) { throw refusal }
        return line
    }

    /// The end of a wait on the monotonic clock, in milliseconds; within its range for any duration.
    private static func deadline(after timeout: Duration) -> Int64 {
        MonotonicClock.milliseconds + min(max(timeout, .zero), .seconds(1 << 40)).milliseconds
    }

    private mutating func receiveLine(before deadline: Int64?) throws(ControlError) -> [UInt8] {
        while true {
            if let line = takeLine() {
                if unansweredCount > 0, !ControlProtocol.isWatched(line) { unansweredCount -= 1 }
                return line
            }
            guard received.count <= ControlProtocol.maximumAnswerBytes else { throw .protocolMismatch(found: nil) }
            try receive(before: deadline)
        }
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let lineFeed = received[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            received.removeFirst(given)
            given = 0
            searched = received.count
            return nil
        }
        defer {
            given = lineFeed + 1
            searched = given
        }
        return Array(received[given..<lineFeed])
    }

    private mutating func receive(before deadline: Int64?) throws(ControlError) {
        do {
            let wait = deadline.map { Int32(clamping: max(0, $0 - MonotonicClock.milliseconds)) } ?? -1
            guard try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: wait) else { throw ControlError.timedOut }
            var chunk = [UInt8](repeating: 0, count: 16 << 10)
            let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
            guard count > 0 else { throw ControlError.closed(byService: isOfService) }
            received.append(contentsOf: chunk[..<count])
        } catch let error as SystemError {
            throw error.isConnectionEnd ? .closed(byService: isOfService) : .connectionFailed(reason: error.description)
        } catch let error as ControlError {
            throw error
        } catch {
            throw .connectionFailed(reason: "\(error)")
        }
    }

    private static func descriptor(connectedTo path: String) throws(ControlError) -> Int32 {
        do { return try UnixSocket.connect(path) } catch { throw ControlError(connecting: error, to: path) }
    }
}
