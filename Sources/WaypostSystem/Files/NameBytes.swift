import Waypost

// Names of files, arguments and variables are bytes. Most are UTF-8; any other name becomes a `String` too, which keeps every byte: a byte
// that is not UTF-8 becomes a scalar of its own, U+10FE80 for 0x80 to U+10FEFF for 0xFF, at the end of the private use planes. In a name
// that contains such a scalar as UTF-8, its bytes become scalars one by one as well. So each name has one text, and each such text one name.
extension String {
    /// A name's text, from its bytes.
    public init(nameBytes bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(String.leadOfStandIns) {
            self = text
            return
        }
        var rest = Array(bytes)[...]
        self = ""
        while !rest.isEmpty {
            // The longest first: no scalar is the beginning of another.
            let scalar = (1...4).lazy.compactMap { count in String(validating: rest.prefix(count), as: UTF8.self)?.unicodeScalars.first }
                .first
            if let scalar, !String.standIns.contains(scalar.value) {
                unicodeScalars.append(scalar)
                rest = rest.dropFirst(String(scalar).utf8.count)
            } else {
                unicodeScalars.append(String.standIn(rest.removeFirst()))
            }
        }
    }

    /// A name's text, from a C string.
    init(name: UnsafePointer<CChar>) {
        var count = 0
        while name[count] != 0 { count += 1 }
        self.init(nameBytes: UnsafeBufferPointer(start: name, count: count).map { UInt8(bitPattern: $0) })
    }

    /// The bytes of a name.
    public var nameBytes: [UInt8] {
        guard utf8.contains(String.leadOfStandIns) else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in
            String.standIns.contains(scalar.value) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// The name as a C string, with its zero.
    public var cName: [CChar] { nameBytes.map { CChar(bitPattern: $0) } + [0] }

    /// The text for people: a byte that is not UTF-8 appears as `\xff`.
    public var shownName: String {
        guard utf8.contains(String.leadOfStandIns) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if String.standIns.contains(scalar.value) {
                shown += "\\x" + String(scalar.value & 0xFF, radix: 16)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// The scalars that stand for bytes, and the first byte of all of them in UTF-8.
    private static let standIns: ClosedRange<UInt32> = 0x10_FE80...0x10_FEFF
    private static let leadOfStandIns: UInt8 = 0xF4

    private static func standIn(_ byte: UInt8) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(0x10_FE00 + UInt32(byte)) else { preconditionFailure("private use has no surrogates") }
        return scalar
    }
}
