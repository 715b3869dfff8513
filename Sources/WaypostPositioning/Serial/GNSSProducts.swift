/// USB products that are only GNSS receivers, and that send NMEA without a request.
///
/// Only these may be opened without being named: opening the port of any other device can reset it (an Arduino), make it dial, or take a
/// modem from its manager. These are left out:
/// - 067b (Prolific), 0403 (FTDI), 10c4 (CP210x), 1a86 (CH340), 0557: bridges that any cable may contain, receivers among them.
/// - 2c7c (Quectel), 1e0e (SIMCom), 1199 (Sierra), 1bc7 (Telit), 12d1 (Huawei): modems, silent on their NMEA port until a command on another.
/// - 091e:0003 (Garmin), 1163 (DeLorme): receivers with their own protocol, which begins with a greeting.
enum GNSSProducts {
    /// The vendor of receivers that use UBX.
    static let ublox: UInt16 = 0x1546

    /// The product's name, if the ids are known.
    static func name(vendorID: UInt16, productID: UInt16) -> String? {
        switch (vendorID, productID) {
        case (0x1546, 0x01a5): "u-blox 5"
        case (0x1546, 0x01a6): "u-blox 6"
        case (0x1546, 0x01a7): "u-blox 7"
        case (0x1546, 0x01a8): "u-blox 8"
        case (0x1546, 0x01a9): "u-blox 9"
        case (0x0e8d, 0x3329): "MediaTek MT3329"
        default: nil
        }
    }

    /// A description of other products that may be receivers if their port is named: bridges common in receivers, modems with a receiver.
    static func possibility(vendorID: UInt16, productID: UInt16) -> String? {
        switch (vendorID, productID) {
        case (0x067b, _), (0x0557, 0x2008): "Prolific bridge, as in many receivers and cables"
        case (0x0403, _): "FTDI bridge, as in some receivers and many cables"
        case (0x10c4, 0xea60), (0x10c4, 0xea71): "CP210x bridge, as in some receivers and many boards"
        case (0x1a86, _): "CH340 bridge, as in cheap receivers and many boards"
        case (0x091e, 0x0003): "Garmin, speaks its own protocol until switched to NMEA"
        case (0x1163, _): "DeLorme, speaks a protocol of its own until greeted"
        case (0x2c7c, _): "Quectel modem, NMEA on its interface 01 once enabled"
        case (0x1e0e, _): "SIMCom modem, NMEA on its interface 01 once enabled"
        case (0x1199, _): "Sierra modem, NMEA on its interface 02 once enabled"
        case (0x1bc7, _): "Telit modem, NMEA once enabled"
        case (0x1546, _): "u-blox, another product than a receiver"
        default: nil
        }
    }
}
