import NIOCore
import WaypostSystem

extension PeerCredentials {
    /// Who is at the other end of a channel on a Unix socket.
    ///
    /// - Errors: the channel has no such peer.
    package static func read(from channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let level = NIOBSDSocket.OptionLevel(rawValue: PeerCredentials.optionLevel)
        let credentials: EventLoopFuture<PeerCredentials.Wire> = options.unsafeGetSocketOption(
            level: level, name: NIOBSDSocket.Option(rawValue: PeerCredentials.credentialsOption))
        let groups: EventLoopFuture<PeerCredentials.WireGroups> = options.unsafeGetSocketOption(
            level: level, name: NIOBSDSocket.Option(rawValue: PeerCredentials.groupsOption))
        // A peer in more groups than we ask for is judged only by its first group.
        let knownGroups = groups.map { PeerCredentials.WireGroups?.some($0) }.flatMapErrorThrowing { _ in nil }
        return credentials.and(knownGroups).map { PeerCredentials($0, supplementaryGroups: $1) }
    }
}
