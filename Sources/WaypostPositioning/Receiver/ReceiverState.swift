import Waypost

/// The identity of a receiver and its settings, as far as it reports them.
package struct ReceiverState: Sendable, Equatable {
    /// The maker of the protocol it uses.
    package enum Maker: String, Sendable {
        /// u-blox: UBX.
        case ublox = "u-blox"
        /// MediaTek: PMTK sentences.
        case mediaTek = "MediaTek"
    }

    /// The port, as it was named.
    package var path: String
    /// The maker of the protocol it uses.
    package var maker: Maker
    /// The model that it reports.
    package var model: String?
    /// Its firmware.
    package var firmware: String?
    /// The version of UBX that it uses.
    package var protocolVersion: Double?
    /// The line's speed in bits per second; nil on USB, which has none.
    package var baudRate: Int?
    /// Milliseconds between fixes.
    package var periodMilliseconds: Int?
    /// The receiver's model of movement.
    package var movement: String?
    /// Whether it sends GST, the sentence with the fix's errors.
    package var sendsGST: Bool?
    /// Whether it sends NMEA on this port.
    package var sendsNMEA: Bool?
    /// The antenna, where the receiver monitors it.
    package var antenna: UBXSettings.Antenna?

    /// A state of which only the maker is known.
    package init(path: String, maker: Maker) {
        self.path = path
        self.maker = maker
    }
}
