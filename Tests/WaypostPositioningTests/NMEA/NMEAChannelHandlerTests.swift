import Foundation
import Glibc
import NIOCore
import NIOPosix
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostPositioning

/// The live pipeline on a real descriptor.
@Suite struct NMEAChannelHandlerTests {
    @Test func deliversAnEpochAfterAQuietGap() async throws {
        try await onASocketPair { log, far, _ in
            try Syscalls.writeAll(far, Array(SimulatedReceiver().epoch(0).text.utf8))
            #expect(await log.waits { $0.positions.count == 1 })
            #expect(log.positions.first?.source == "test:")
            #expect(log.events.contains { if case .sky = $0 { true } else { false } })
        }
    }

    @Test func deliversTheLastEpochWhenTheLineEnds() async throws {
        try await onASocketPair { log, far, channel in
            try Syscalls.writeAll(far, Array(SimulatedReceiver().epoch(0).text.utf8))
            _ = shutdown(far, Int32(SHUT_WR))
            await channel.waitUntilClosed()
            #expect(await log.waits(.milliseconds(500)) { $0.positions.count == 1 })
        }
    }

    @Test func tellsSilenceAndClosesTheLine() async throws {
        try await onASocketPair { log, far, channel in
            try Syscalls.writeAll(far, Array(SimulatedReceiver().epoch(0).text.utf8))
            let start = MonotonicClock.milliseconds
            await channel.waitUntilClosed()
            #expect((4_900...7_000).contains(MonotonicClock.milliseconds - start))
            #expect(await log.waits(.seconds(1)) { $0.losses == [.silent] })
        }
    }

    /// A process that was stopped finds its timers due and the line full of what has come meanwhile: none of that is silence.
    @Test func readsWhatHasComeBeforeALateTimerClosesTheLine() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await onASocketPair(group) { log, far, channel in
            let receiver = SimulatedReceiver()
            try Syscalls.writeAll(far, Array(receiver.epoch(0).text.utf8))
            #expect(await log.waits { $0.positions.count == 1 })
            channel.eventLoop.execute { Thread.sleep(forTimeInterval: 6) }
            for index in 1..<40 { try Syscalls.writeAll(far, Array(receiver.epoch(index).text.utf8)) }
            #expect(await log.waits(.seconds(10)) { $0.positions.count == 40 })
            #expect(channel.isActive && log.losses == [])
        }
        try await group.shutdownGracefully()
    }

    private func onASocketPair(
        _ group: any EventLoopGroup = LiveEventLoop.group, _ body: @escaping @Sendable (EventLog, Int32, any Channel) async throws -> Void
    ) async throws {
        let (near, far) = try Syscalls.socketPair()
        defer { Syscalls.close(far) }
        let log = EventLog()
        try await EventQueue.run(output: { log.append($0) }) { (queue) async throws(PositionSourceError) in
            do {
                let session = NMEASession(name: "test:", queue: queue)
                session.connected(to: "a socket")
                let channel = try await NIOPipeBootstrap(group: group)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(NMEAChannelHandler(session: session))
                        }
                    }
                    .takingOwnershipOfDescriptor(input: near).get()
                try await body(log, far, channel)
                try? await channel.close()
            } catch {
                Issue.record(error)
            }
        }
    }
}

/// What NIO makes of a line that is pulled out, whenever that happens.
@Suite struct HangUpTests {
    @Test(arguments: [-1, 0, 50, 100, 200, 400, 1_000, 3_000, 20_000])
    func noticesALineThatIsPulledOut(afterMicroseconds delay: Int) async throws {
        for _ in 0..<10 {
            let terminal = try PseudoTerminal()
            guard case .opened(let port) = try SerialPort.open(terminal.path, baudRate: 9_600) else {
                Issue.record("\(terminal.path) is held")
                return
            }
            let descriptor = try port.makeReadingDescriptor()
            if delay < 0 {
                terminal.unplug()
            } else {
                Thread.detachNewThread {
                    usleep(UInt32(delay))
                    terminal.unplug()
                }
            }
            let start = MonotonicClock.milliseconds
            try await EventQueue.run(output: { _ in }) { (queue) async throws(PositionSourceError) in
                do {
                    let channel = try await NIOPipeBootstrap(group: LiveEventLoop.group)
                        .channelInitializer { channel in
                            channel.eventLoop.makeCompletedFuture {
                                let session = NMEASession(name: "test:", queue: queue)
                                try channel.pipeline.syncOperations.addHandler(NMEAChannelHandler(session: session))
                            }
                        }
                        .takingOwnershipOfDescriptor(input: descriptor).get()
                    await channel.waitUntilClosed()
                } catch {
                    Issue.record(error)
                }
            }
            #expect(MonotonicClock.milliseconds - start < 1_000)
        }
    }
}
