import Waypost

/// The bytes of a position within an event, and of every position in journals of version 1: everything that a `Position` holds, exactly.
enum PositionCodec {
    /// Which fields follow; the fields stand in the order of their bits.
    ///
    /// New ones get higher bits, old readers ignore them.
    struct Presence: OptionSet {
        let rawValue: UInt64

        static let time = Presence(rawValue: 1 << 0)
        static let accuracy = Presence(rawValue: 1 << 1)
        static let satellitesUsed = Presence(rawValue: 1 << 2)
        /// The source's name follows.
        static let ownSource = Presence(rawValue: 1 << 3)
        /// The source is the one that the journal's header names; nothing follows.
        static let headerSource = Presence(rawValue: 1 << 4)
        /// Nothing follows.
        static let weekRolloverCorrected = Presence(rawValue: 1 << 5)

        /// Bits 18 to 21, nothing follows: in the tracks of which types it belongs; without any of them: raw.
        static func types(_ types: LogTypes) -> Presence { types == .raw ? [] : Presence(rawValue: UInt64(types.rawValue) << 18) }

        var types: LogTypes {
            let bits = LogTypes(rawValue: UInt8(truncatingIfNeeded: rawValue >> 18)).intersection(.all)
            return bits.isEmpty ? .raw : bits
        }

        /// The bit of the number at that place of ``PositionCodec/numbers``.
        static func number(_ index: Int) -> Presence { Presence(rawValue: 1 << UInt64(6 + index)) }
    }

    /// The optional numbers, in the order of their bits.
    private static let numbers: [any WritableKeyPath<Position, Double?> & Sendable] = [
        \.altitudeMSLMetres, \.altitudeHAEMetres, \.geoidSeparationMetres, \.speedMetresPerSecond, \.courseDegrees,
        \.climbMetresPerSecond, \.quality.eph, \.quality.epv, \.quality.eps, \.quality.hdop, \.quality.vdop, \.quality.pdop,
    ]

    /// The wire numbers of an accuracy's origin; never change one.
    static let origins: [(code: UInt8, origin: HorizontalAccuracy.Origin)] = [
        (0, .receiver), (1, .gst), (2, .gbs), (3, .gpsd), (4, .hdop), (5, .assumed), (6, .reduced),
    ]

    /// Appends a position; numbers that are not finite and times out of range count as not known.
    static func append(_ position: Position, types: LogTypes = .raw, source: String?, to bytes: inout [UInt8]) {
        let accuracy = position.accuracy.flatMap { $0.radiusMetres.isFinite ? $0 : nil }
        var presence: Presence = position.isWeekRolloverCorrected ? .weekRolloverCorrected : []
        let time = position.time.flatMap { $0.hasFourDigitYear ? $0 : nil }
        presence.formUnion(.types(types))
        if time != nil { presence.insert(.time) }
        if accuracy != nil { presence.insert(.accuracy) }
        if position.quality.satellitesUsed != nil { presence.insert(.satellitesUsed) }
        if let own = position.source { presence.insert(own == source ? .headerSource : .ownSource) }
        for (index, field) in numbers.enumerated() where position[keyPath: field]?.isFinite == true { presence.insert(.number(index)) }

        bytes.append(UInt8(position.status.rawValue << 4 | position.mode.rawValue))
        bytes.append(varint: presence.rawValue)
        bytes.append(journalNumber: position.coordinate.latitudeDegrees)
        bytes.append(journalNumber: position.coordinate.longitudeDegrees)
        if let time { bytes.append(signedVarint: time.millisecondsSince1970) }
        if let accuracy {
            bytes.append(journalNumber: accuracy.radiusMetres)
            bytes.append(origins.first { $0.origin == accuracy.origin }?.code ?? .max)
        }
        if let satellites = position.quality.satellitesUsed { bytes.append(signedVarint: Int64(satellites)) }
        if presence.contains(.ownSource), let own = position.source { bytes.append(journalString: own) }
        for (index, field) in numbers.enumerated() where presence.contains(.number(index)) {
            if let value = position[keyPath: field] { bytes.append(journalNumber: value) }
        }
    }

    /// Reads a position; nil when the bytes are not one.
    static func decode(_ input: inout JournalInput, source: String?) -> Position? {
        var types = LogTypes.raw
        return decode(&input, types: &types, source: source)
    }

    /// Reads a position, and in the tracks of which types it belongs.
    static func decode(_ input: inout JournalInput, types: inout LogTypes, source: String?) -> Position? {
        guard let kinds = input.byte(), let mode = FixMode(rawValue: Int(kinds & 0x0F)),
            let presence = input.varint().map(Presence.init(rawValue:)),
            let latitude = input.number(), let longitude = input.number(),
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        var position = Position(time: nil, coordinate: coordinate, mode: mode, status: FixStatus(rawValue: Int(kinds >> 4)) ?? .unknown)
        if presence.contains(.time) {
            guard let time = input.signedVarint().map(UTCTime.init(millisecondsSince1970:)), time.hasFourDigitYear else { return nil }
            position.time = time
        }
        if presence.contains(.accuracy) {
            guard let radius = input.number(), let code = input.byte() else { return nil }
            // An origin of a later version: better no accuracy than one that says it came from elsewhere.
            position.accuracy = origins.first { $0.code == code }.map { HorizontalAccuracy(radiusMetres: radius, origin: $0.origin) }
        }
        if presence.contains(.satellitesUsed) {
            guard let satellites = input.signedVarint() else { return nil }
            position.quality.satellitesUsed = Int(satellites)
        }
        if presence.contains(.ownSource) {
            guard let own = input.string() else { return nil }
            position.source = own
        } else if presence.contains(.headerSource) {
            position.source = source
        }
        for (index, field) in numbers.enumerated() where presence.contains(.number(index)) {
            guard let value = input.number() else { return nil }
            position[keyPath: field] = value
        }
        types = presence.types
        position.isWeekRolloverCorrected = presence.contains(.weekRolloverCorrected)
        return position
    }
}
