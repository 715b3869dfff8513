import Waypost

/// What a receiver is, and how it is set, as far as it says.
public struct ReceiverState: Sendable, Equatable {
    /// Whose protocol it speaks.
    public enum Maker: String, Sendable {
        /// u-blox: UBX.
        case ublox = "u-blox"
        /// MediaTek: PMTK sentences.
        case mediaTek = "MediaTek"
    }

    /// The port, as it was named.
    public var path: String
    /// Whose protocol it speaks.
    public var maker: Maker
    /// What it calls itself.
    public var model: String?
    /// Its firmware.
    public var firmware: String?
    /// The version of UBX that it speaks.
    public var protocolVersion: Double?
    /// The line's speed, bits per second; nil on USB, which has none.
    public var baudRate: Int?
    /// Milliseconds between fixes.
    public var periodMilliseconds: Int?
    /// How it is told that it moves.
    public var movement: String?
    /// Whether it sends GST, the sentence with the fix's errors.
    public var sendsGST: Bool?
    /// Whether it sends NMEA on this port.
    public var sendsNMEA: Bool?
    /// The antenna, where it is watched.
    public var antenna: UBXSettings.Antenna?

    /// Nothing known but whose it is.
    public init(path: String, maker: Maker) {
        self.path = path
        self.maker = maker
    }
}
