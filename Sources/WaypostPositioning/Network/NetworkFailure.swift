import NIOCore
import NIOPosix
import WaypostSystem

/// A failed connection in words for people.
enum NetworkFailure {
    /// The cause in the system's words, without the layers of errors around it.
    static func words(for error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let last = error.connectionErrors.last { return words(for: last.error) }
            return "the name cannot be resolved"
        case ChannelError.connectTimeout: return "no answer"
        case let error as IOError: return SystemError(code: error.errnoCode, operation: "connect").reason
        case is SocketAddressError: return "the name cannot be resolved"
        default: return "\(error)"
        }
    }
}

extension SocketAddress {
    /// `192.168.1.5:10110`, `[fe80::1]:10110`.
    var hostAndPort: String {
        let host = ipAddress ?? "?"
        return "\(host.contains(":") ? "[\(host)]" : host):\(port ?? 0)"
    }
}

extension EventLoopFuture where Value == any Channel {
    /// The channel, or an error at once when the task is cancelled; a channel that comes later is closed.
    func getUnlessCancelled() async throws -> any Channel {
        let promise = eventLoop.makePromise(of: Value.self)
        whenComplete { result in
            // This has no effect when the promise has already failed.
            promise.completeWith(result)
            if case .success(let channel) = result { promise.futureResult.whenFailure { _ in channel.close(promise: nil) } }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}
