/// The types of sentences that are read.
enum NMEASentenceType: UInt8 {
    case rmc, gga, gll, gns, gsa, gsv, gst, gbs, vtg, zda

    /// Recognises an address of a two-letter talker and a three-letter type.
    ///
    /// Any talker is accepted (GP, GN, GL, GA, GB, BD, QZ, II, EC, ...), but a `P` starts a proprietary sentence (`PGRMC` is not an RMC), except
    /// for `PQ`, which Quectel's modules use for a constellation.
    @inline(__always)
    init?(address range: Range<Int>, in bytes: Span<UInt8>) {
        guard range.count == 5 else { return nil }
        let start = range.lowerBound
        if bytes[start] == UInt8(ascii: "P"), bytes[start + 1] != UInt8(ascii: "Q") { return nil }
        let code = UInt32(bytes[start + 2]) << 16 | UInt32(bytes[start + 3]) << 8 | UInt32(bytes[start + 4])
        switch code {
        case 0x524D43: self = .rmc
        case 0x474741: self = .gga
        case 0x474C4C: self = .gll
        case 0x474E53: self = .gns
        case 0x475341: self = .gsa
        case 0x475356: self = .gsv
        case 0x475354: self = .gst
        case 0x474253: self = .gbs
        case 0x565447: self = .vtg
        case 0x5A4441: self = .zda
        default: return nil
        }
    }
}

extension Constellation {
    /// The constellation that a talker names (`GP` as 0x4750), or nil for `GN` and instruments.
    init?(talker: UInt16) {
        switch talker {
        case 0x4750: self = .gps  // GP
        case 0x474C: self = .glonass  // GL
        case 0x4741: self = .galileo  // GA
        case 0x4742, 0x4244: self = .beidou  // GB, BD
        case 0x4751, 0x515A, 0x5051: self = talker == 0x5051 ? .beidou : .qzss  // GQ, QZ, PQ (Quectel: BeiDou)
        case 0x4749: self = .navic  // GI
        default: return nil
        }
    }

    /// The constellation of a satellite: its talker, corrected by NMEA's number ranges (33-64 SBAS, 65-96 GLONASS, 193-202 QZSS).
    init(talker: UInt16, number: Int) {
        self.init(named: Constellation(talker: talker), number: number)
    }

    /// The constellation of a satellite: the named one, corrected by NMEA's number ranges.
    init(named: Constellation?, number: Int) {
        switch number {
        case 1...32: self = named ?? .gps
        case 33...64: self = named == nil || named == .gps || named == .glonass ? .sbas : named ?? .sbas
        case 65...99: self = named == nil || named == .gps ? .glonass : named ?? .glonass
        case 193...202: self = .qzss
        case 201...263, 401...463: self = .beidou
        case 301...336: self = .galileo
        default: self = named ?? .unknown
        }
    }
}

extension FixStatus {
    /// The status that a mode letter of RMC, GLL, GNS or VTG stands for.
    init(modeIndicator: UInt8?) {
        switch modeIndicator {
        case UInt8(ascii: "A"): self = .gps
        case UInt8(ascii: "D"): self = .differential
        case UInt8(ascii: "P"): self = .precise
        case UInt8(ascii: "R"): self = .rtkFixed
        case UInt8(ascii: "F"): self = .rtkFloat
        case UInt8(ascii: "E"): self = .deadReckoning
        case UInt8(ascii: "M"), UInt8(ascii: "S"): self = .simulated
        default: self = .unknown
        }
    }
}
