import NIOCore
import NIOPosix

/// The one thread on which every live source reads: serial lines, TCP and UDP.
///
/// The first of them creates it, and it stays for the life of the process; nothing on it may block.
enum LiveEventLoop {
    /// The thread's group, for NIO's bootstraps.
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}

extension Channel {
    /// Waits until the channel is closed; closes it when the task is cancelled.
    func waitUntilClosed() async {
        await withTaskCancellationHandler {
            do { try await closeFuture.get() } catch {}  // The channel is closed, with or without an error.
        } onCancel: {
            close(promise: nil)
        }
    }
}
