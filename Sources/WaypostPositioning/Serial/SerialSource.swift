import NIOCore
import NIOPosix
import Synchronization
import Waypost
import WaypostSystem

/// Positions from an NMEA receiver on a serial line: a USB dongle, a UART of the board.
///
/// It never gives up. A port that is absent, belongs to another program or may not be opened, and a receiver that is unplugged or falls
/// silent, are each one ``PositionSourceEvent/lost(_:)``. It looks for the port four times a second, resolves links again at every open, and
/// finds the speed by itself (`BaudSearch`), beginning with the last good one.
///
/// - Errors: `unusable` for a path that names a file or a folder; otherwise only cancellation ends the run.
/// - Concurrency: reads on the event loop that all live sources share; its own thread opens, closes and sets the speed.
public struct SerialSource: PositionSource {
    /// The choice of the port.
    public enum Port: Sendable, Hashable {
        /// Any plugged-in receiver that is known by its USB ids; no other port is opened.
        case automatic
        /// A device or a link to it (`/dev/serial/by-id/...`), which may come and go.
        case path(String)
    }

    /// The URL: `serial:///dev/ttyUSB0`, `serial:auto`.
    public let name: String
    /// The choice of the port.
    public let port: Port
    /// The speed in bits per second; nil finds it.
    public let baudRate: Int?

    /// Whether nothing is ever sent to the receiver.
    public let neverWrites: Bool

    let memory: BaudMemory
    let gpsdPorts: [UInt16]
    let catalogue: SerialDeviceCatalogue

    /// A source that reads from the given port.
    ///
    /// - Parameters:
    ///   - port: which port is read, or how it is found.
    ///   - baudRate: the speed in bits per second, one of those that receivers have (4800 to 921600); nil finds it. With any other the source fails
    ///     when it runs.
    ///   - neverWrites: whether nothing is ever sent to the receiver; otherwise a u-blox in UBX mode, as gpsd leaves it, is switched to
    ///     NMEA.
    ///   - memory: the store of the last good speeds; by default it lasts as long as this source.
    ///   - gpsdPorts: the ports on which gpsds of this machine listen, whose devices are left alone.
    public init(
        _ port: Port, baudRate: Int? = nil, neverWrites: Bool = false, memory: BaudMemory = BaudMemory(), gpsdPorts: [UInt16] = [2_947]
    ) {
        self.init(
            port, baudRate: baudRate, neverWrites: neverWrites, memory: memory, gpsdPorts: gpsdPorts, catalogue: SerialDeviceCatalogue())
    }

    /// A source that reads from the given port, with the devices among which receivers are found.
    package init(
        _ port: Port, baudRate: Int? = nil, neverWrites: Bool = false, memory: BaudMemory = BaudMemory(),
        gpsdPorts: [UInt16] = [2_947], catalogue: SerialDeviceCatalogue
    ) {
        self.port = port
        self.baudRate = baudRate
        self.neverWrites = neverWrites
        self.memory = memory
        self.gpsdPorts = gpsdPorts
        self.catalogue = catalogue
        let address =
            switch port {
            case .automatic: "serial:auto"
            case .path(let path): "serial://\(path)"
            }
        name = address + (baudRate.map { "?baud=\($0)" } ?? "")
    }

    /// A named port cannot be shared; a port that is looked for is a different one, or locked.
    public var sharing: SourceSharing {
        switch port {
        case .automatic: .free
        case .path(let path): .device(Syscalls.resolvingLinks(path))
        }
    }

    /// Delivers events until the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        if let baudRate, !SerialPort.baudRates.contains(baudRate) {
            throw .unusable(path: name, reason: "receivers have no speed of \(baudRate) baud")
        }
        let heartbeat = SourceHeartbeat(name: name, patience: SourceHeartbeat.localPatience)
        try await EventQueue.run(heartbeat: heartbeat, output: output) { (queue) async throws(PositionSourceError) in
            let line: SerialLine
            do throws(SystemError) {
                line = try SerialLine(source: self)
            } catch {
                throw .cannotRead(path: name, reason: error.reason)
            }
            let run = SerialRun(source: self, line: line, session: NMEASession(name: name, queue: queue))
            do throws(PositionSourceError) {
                try await run.follow()
                await line.close()
            } catch {
                await line.close()
                throw error
            }
        }
    }

    /// How the speed of a port is found.
    func search(for identity: String) -> BaudSearch {
        baudRate.map(BaudSearch.init(only:)) ?? BaudSearch(lastGood: memory.baudRate(of: identity))
    }
}

/// One run of a ``SerialSource``: opens the line, reads until it ends, and opens it again.
private struct SerialRun: Sendable {
    // How often a missing port is looked for.
    private static let lookInterval = Duration.milliseconds(250)
    // The pause before another attempt after a refusal: the first, and the longest.
    private static let firstRetry = Duration.milliseconds(500)
    private static let longestRetry = Duration.seconds(3)
    // How often gpsd is asked whether it wants the line: it gets its receiver back soon after a restart.
    private static let looksPerClaim = 5
    // A receiver that has been silent this long may meanwhile be a different device.
    private static let quietTime = Duration.milliseconds(1_500)

    let source: SerialSource
    let line: SerialLine
    let session: NMEASession

    func follow() async throws(PositionSourceError) {
        var retry = SerialRun.firstRetry
        while !Task.isCancelled {
            do throws(SerialRefusal) {
                guard let opened = try await line.open() else { return }
                retry = SerialRun.firstRetry
                await read(opened)
                await line.close()
                await sleep(SerialRun.lookInterval)
            } catch {
                if case .notALine(let path) = error { throw .unusable(path: path, reason: "is not a serial port") }
                session.lose(error.loss)
                if case .deviceGone = error.loss {
                    await sleep(SerialRun.lookInterval)
                } else {
                    await sleep(retry)
                    retry = min(retry * 2, SerialRun.longestRetry)
                }
            }
        }
    }

    /// Reads until the line ends, for whatever reason, and reports that.
    private func read(_ opened: SerialLine.Opened) async {
        let channel: any Channel
        do {
            channel = try await connect(opened)
        } catch {
            return session.lose(.disconnected("\(opened.device): \(error)"))
        }
        let watch = Task { await watchLine(opened, channel) }
        await channel.waitUntilClosed()
        watch.cancel()
        if Task.isCancelled { return }
        if await watch.value == .claimed { return session.lose(SerialRefusal.heldByGPSD(path: opened.device).loss) }
        // Silence has its own report; every other end is a line that has gone.
        if !session.checkSilence() { session.lose(.deviceGone("\(opened.device) was unplugged or hung up")) }
    }

    private func connect(_ opened: SerialLine.Opened) async throws -> any Channel {
        let owner = DescriptorOwner()
        do {
            return try await NIOPipeBootstrap(group: LiveEventLoop.group)
                .channelInitializer { [source, line, session] channel in
                    owner.isChannel.store(true, ordering: .relaxed)
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            BaudSearchHandler(line: line, opened: opened, session: session, memory: source.memory))
                    }
                }
                .takingOwnershipOfDescriptor(input: opened.descriptor).get()
        } catch {
            if !owner.isChannel.load(ordering: .relaxed) { Syscalls.close(opened.descriptor) }
            throw error
        }
    }

    /// Who closes the descriptor when no channel is made: the channel if there was one that failed, else the caller.
    private final class DescriptorOwner: Sendable {
        let isChannel = Atomic(false)
    }

    /// Why a watch ended.
    private enum WatchEnd {
        case closed, renamed, claimed
    }

    /// Closes the channel when gpsd claims the line, or when the name of a quiet receiver now means another device, or none.
    private func watchLine(_ opened: SerialLine.Opened, _ channel: any Channel) async -> WatchEnd {
        let path = if case .path(let path) = source.port { path } else { opened.device }
        var looks = 0
        while !Task.isCancelled {
            await sleep(.seconds(1))
            looks += 1
            if MonotonicClock.milliseconds - session.lastSentenceAt <= SerialRun.quietTime.milliseconds {
                guard looks % SerialRun.looksPerClaim == 0, await line.isClaimedByGPSD(opened.device) else { continue }
                channel.close(promise: nil)
                return .claimed
            }
            if Syscalls.resolvingLinks(path) != opened.device || !Syscalls.exists(opened.device) {
                channel.close(promise: nil)
                return .renamed
            }
        }
        return .closed
    }

    private func sleep(_ time: Duration) async {
        try? await Task.sleep(for: time)  // Cancelled: the caller checks at once.
    }
}
