import NIOCore
import NIOPosix
import Synchronization

/// The thread on which a server's connections live, for as long as the server runs.
///
/// NIO ends a loop's thread with the help of libdispatch only, whose own threads then look after themselves once a second for the life of
/// the process, and complain on standard error where they may not raise their priority. So a thread that is given back waits for the next
/// server: there are never more than ran at the same time, and one without work costs its stack.
package struct ServerThread: Sendable {
    private static let idle = Mutex<[any EventLoop]>([])

    /// The thread's loop, for the one server that has taken it.
    package let loop: any EventLoop

    /// A thread that no server uses.
    package static func take() -> ServerThread {
        ServerThread(loop: idle.withLock { $0.popLast() } ?? MultiThreadedEventLoopGroup(numberOfThreads: 1).next())
    }

    /// Gives the thread to the next server; whoever had it has closed all that lived there.
    package func giveBack() {
        ServerThread.idle.withLock { $0.append(loop) }
    }
}
