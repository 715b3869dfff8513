import Foundation
import Glibc
import Testing
import WaypostSystem

/// A FIFO that somebody always writes to, so that its reader finds no end.
final class FIFO {
    let path = NSTemporaryDirectory() + "waypost-fifo-\(UUID().uuidString)"
    private let descriptor: Int32

    init() throws {
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = try Syscalls.open(path, O_RDWR | O_NONBLOCK)
    }

    deinit {
        Syscalls.close(descriptor)
        unlink(path)
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws { try Syscalls.writeAll(descriptor, bytes) }
}
