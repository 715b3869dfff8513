import Waypost

/// The identity of a receiver and its settings, as far as it reports them.
public struct ReceiverState: Sendable, Equatable {
    /// The maker of the protocol it uses.
    public enum Maker: String, Sendable {
        /// u-blox: UBX.
        case ublox = "u-blox"
        /// MediaTek: PMTK sentences.
        case mediaTek = "MediaTek"
    }

    /// The port, as it was named.
    public var path: String
    /// The maker of the protocol it uses.
    public var maker: Maker
    /// The model that it reports.
    public var model: String?
    /// Its firmware.
    public var firmware: String?
    /// The version of UBX that it uses.
    public var protocolVersion: Double?
    /// The line's speed in bits per second; nil on USB, which has none.
    public var baudRate: Int?
    /// Milliseconds between fixes.
    public var periodMilliseconds: Int?
    /// The receiver's model of movement.
    public var movement: String?
    /// Whether it sends GST, the sentence with the fix's errors.
    public var sendsGST: Bool?
    /// Whether it sends NMEA on this port.
    public var sendsNMEA: Bool?
    /// The antenna, where the receiver monitors it.
    public var antenna: UBXSettings.Antenna?

    /// A state of which only the maker is known.
    public init(path: String, maker: Maker) {
        self.path = path
        self.maker = maker
    }
}
