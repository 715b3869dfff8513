import NIOCore
import NIOPosix
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Opens doors: listens, or makes the socket that datagrams are sent from.
struct ShareDoor: Sendable {
    let kind: ShareDoorKind
    let place: ShareDoorKind.Place
    let limits: ShareLimits
    let hub: NIOLoopBound<ShareHub>

    /// Why a door cannot be opened now, for people, with what to do about it.
    struct Obstacle: Error, Equatable {
        var words: String
    }

    /// Opens it; the result is closed to shut it.
    ///
    /// - Parameter noteFailure: is told when datagrams cannot be sent, and with nil when they can again.
    func open(noteFailure: @escaping @Sendable (SystemError?) -> Void) async throws(Obstacle) -> any Channel {
        do {
            switch (kind, place) {
            case (.nmeaUDP, .address(let address)): return try await openBeacon(to: address, noteFailure)
            case (_, .address(let address)): return try await listen(on: address)
            case (_, .path(let path)): return try await listen(at: path)
            }
        } catch let obstacle as Obstacle {
            throw obstacle
        } catch {
            throw obstacle(error)
        }
    }

    // MARK: - Kinds of doors

    private func listen(on address: ListenAddress) async throws -> any Channel {
        let channel =
            try await bootstrap
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [kind, hub] channel in
                channel.eventLoop.makeCompletedFuture { try ShareDoor.admit(.unknown, on: channel, kind, hub.value) }
            }
            .bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get()
        let port = UInt16(address.port)
        OwnPorts.set(port, isOwn: true)
        channel.closeFuture.whenComplete { _ in OwnPorts.set(port, isOwn: false) }
        return channel
    }

    /// Everybody who can reach the path may connect, as to a port of the loopback address: whose programs they are is known, and asked about.
    private func listen(at path: String) async throws -> any Channel {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try Syscalls.createFolders(String(path[..<slash]), mode: 0o755) }
        switch try UnixSocket.occupant(of: path) {
        case .nothing: break
        case .staleSocket: try UnixSocket.unlink(path)
        case .listener: throw Obstacle(words: "\(path): another program listens there; stop it, or choose another path")
        case .other: throw Obstacle(words: "\(path): is not a socket; remove it, or choose another path")
        }
        return
            try await bootstrap
            .childChannelInitializer { [kind, hub] channel in
                PeerCredentials.read(from: channel).flatMapThrowing { try ShareDoor.admit(.known($0), on: channel, kind, hub.value) }
            }
            .withBoundSocket(try UnixSocket.listener(at: path, mode: 0o666)).get()
    }

    private func openBeacon(
        to address: ListenAddress, _ noteFailure: @escaping @Sendable (SystemError?) -> Void
    ) async throws -> any Channel {
        let destination = try SocketAddress(ipAddress: address.host, port: address.port)
        let isIPv6 = destination.protocol == .inet6
        let own = address.isLoopback ? (isIPv6 ? "::1" : "127.0.0.1") : (isIPv6 ? "::" : "0.0.0.0")
        let channel = try await DatagramBootstrap(group: hub.eventLoop)
            .channelOption(.socketOption(.so_broadcast), value: 1)
            // Nobody is listened to.
            .channelOption(.autoRead, value: false)
            .bind(to: SocketAddress(ipAddress: own, port: 0)).get()
        try await hub.eventLoop.submit { [hub] in
            hub.value.setBeacon(ShareBeacon(channel, to: destination, noteFailure: noteFailure))
        }.get()
        return channel
    }

    private var bootstrap: ServerBootstrap {
        ServerBootstrap(group: hub.eventLoop)
            // A gpsd that is restarted may have left connections behind that only wait for their end.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: limits.systemByteCount)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: limits.unsentByteCount / 4, high: limits.unsentByteCount))
            // Little is read at a time: a client cannot ask for much at once.
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1_024))
            .childChannelOption(.maxMessagesPerRead, value: 1)
    }

    private static func admit(_ caller: ShareAccess.Caller, on channel: any Channel, _ kind: ShareDoorKind, _ hub: ShareHub) throws {
        guard hub.admits(caller, at: kind) else { throw ChannelError.operationUnsupported }
        try channel.pipeline.syncOperations.addHandler(ShareClient(kind, of: caller, hub: hub))
    }

    // MARK: - Words

    private func obstacle(_ error: any Error) -> Obstacle {
        let failure = (error as? SystemError) ?? (error as? IOError).map { SystemError(code: $0.errnoCode, operation: "listen") }
        guard let failure else { return Obstacle(words: "\(place): \(error)") }
        guard case .address(let address) = place else { return Obstacle(words: "\(place): \(failure.reason)") }
        if failure.isAddressInUse { return Obstacle(words: "\(address): \(holder(of: UInt16(address.port)))") }
        if failure.isAddressMissing {
            return Obstacle(words: "\(address): this machine has no such address now; write one that it has, or 0.0.0.0 for all")
        }
        let isLow = failure.isNotPermitted && address.port < 1_024
        return Obstacle(words: "\(address): \(failure.reason)" + (isLow ? "; choose a port from 1024 on" : ""))
    }

    /// Who has the port, and what to do about it.
    private func holder(of port: UInt16) -> String {
        let users = LoopbackPeer.listenerUserIDs(port: port)
        let isGPSD = users.contains { $0 == SystemAccounts.userID(named: "gpsd") } || users == [0] && port == GPSDKind.usualPort
        if isGPSD {
            return "a gpsd has this port; stop it (sudo systemctl disable --now gpsd.socket gpsd.service), or choose another port"
        }
        let user = users.min().map { " of user \($0)" } ?? ""
        return "another program\(user) has this port; stop it, or choose another port"
    }
}
