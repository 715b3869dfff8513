import NIOCore
import NIOPosix
import WaypostSystem

/// A connection to the tracker for tasks, as ``ControlClient`` is for threads.
///
/// It buffers ``linesAhead`` lines and what one more read brings, then stops reading: the tracker drops the oldest lines of a slow watcher and
/// counts them.
/// - Concurrency: one task at a time waits for lines. The connection ends with the last reference.
package final class ControlLink: Sendable {
    /// The number of buffered lines at which reading stops.
    static let linesAhead = 64
    /// The largest number of bytes of one read.
    static let readByteCount = 16 << 10

    /// The thread that all links of this process share, started for the first of them.
    private static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The daemon's version, from its HELLO.
    package let daemonVersion: String

    private let channel: any Channel
    private let lines: ControlLines

    private init(_ channel: any Channel, _ lines: ControlLines, daemonVersion: String) {
        (self.channel, self.lines, self.daemonVersion) = (channel, lines, daemonVersion)
    }

    deinit { close() }

    /// Connects, and waits for the daemon to say hello.
    ///
    /// - Parameters:
    ///   - path: the socket.
    ///   - limit: how long the daemon may take to say hello.
    /// - Errors: those of ``ControlClient/connect(to:timeout:)``, and ``ControlError/cancelled``.
    package static func connect(to path: String, within limit: Duration) async throws(ControlError) -> ControlLink {
        let lines = ControlLines()
        let channel = try await channel(connectedTo: path, lines)
        do throws(ControlError) {
            let line = try await lines.next(on: channel, within: limit)
            // A daemon with too many connections refuses instead.
            if let refusal = ControlError(refusalOn: line) { throw refusal }
            let hello: Greeting
            do { hello = try Greeting(line: line) } catch { throw ControlError.protocolMismatch(found: nil) }
            guard hello.protocolVersion == ControlProtocol.version else { throw .protocolMismatch(found: hello.protocolVersion) }
            lines.noteHello(isOfService: hello.isOfService)
            return ControlLink(channel, lines, daemonVersion: hello.version)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private static func channel(connectedTo path: String, _ lines: ControlLines) async throws(ControlError) -> any Channel {
        do {
            let address = SocketAddress(try UnixSocket.address(path))
            return try await ClientBootstrap(group: group)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readByteCount))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ControlLineReader(lines)) }
                }
                .connect(to: address).get()
        } catch let error as SystemError {
            throw ControlError(connecting: error, to: path)
        } catch let error as IOError {
            throw ControlError(connecting: SystemError(code: error.errnoCode, operation: "connect", path: path), to: path)
        } catch {
            throw .cannotConnect(path: path, reason: "\(error)")
        }
    }

    /// Sends a request; if the connection has ended, the next wait for a line throws.
    ///
    /// - Parameter request: the request.
    package func send(_ request: some ControlRequest) {
        channel.writeAndFlush(ByteBuffer(line: request.line), promise: nil)
    }

    /// Waits for the next line, without its line feed.
    ///
    /// - Parameter limit: how long to wait; nil waits for ever.
    /// - Errors: an ERROR line is thrown as ``ControlError/notAuthorised(message:)`` or ``ControlError/refused(code:message:)``;
    ///   ``ControlError/closed(byService:)``, ``ControlError/timedOut``, ``ControlError/cancelled``.
    package func nextLine(within limit: Duration? = nil) async throws(ControlError) -> [UInt8] {
        let line = try await lines.next(on: channel, within: limit)
        if let refusal = ControlError(refusalOn: line) { throw refusal }
        return line
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - verb: the request.
    ///   - limit: how long to wait; nil waits for ever.
    /// - Returns: the answer, and the lines of a watch on this connection that came before it.
    /// - Errors: those of ``nextLine(within:)``; ``ControlError/unreadable(_:)`` if the answer does not belong to the verb.
    package func ask<Verb: ControlVerb>(
        _ verb: Verb, within limit: Duration?
    ) async throws(ControlError) -> (answer: Verb.Answer, watched: [[UInt8]]) {
        send(verb)
        let deadline = limit.map { ContinuousClock.now + $0 }
        var watched: [[UInt8]] = []
        while true {
            let line = try await nextLine(within: deadline.map { $0 - .now })
            if ControlProtocol.isWatched(line) {
                // Bounded, even if a daemon sends much and never answers.
                if watched.count == ControlLink.linesAhead { watched.removeFirst() }
                watched.append(line)
            } else {
                do { return (try Verb.Answer(line: line), watched) } catch { throw .unreadable(error) }
            }
        }
    }

    /// Closes the connection; a task that waits gets ``ControlError/closed(byService:)``.
    package func close() { channel.close(promise: nil) }
}
