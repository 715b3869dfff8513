import WaypostSystem

/// `%` and two hexadecimal digits for a byte that would mean something else (RFC 3986, 2.1).
enum PercentCoding {
    /// The text with each `%XX` replaced by its byte; a `%` without two hexadecimal digits stands for itself.
    static func decode(_ text: Substring) throws(SourceURLError) -> String {
        let coded = String(text).nameBytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(coded.count)
        var index = 0
        while index < coded.count {
            if coded[index] == UInt8(ascii: "%"), index + 2 < coded.count,
                let high = digit(coded[index + 1]), let low = digit(coded[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(coded[index])
                index += 1
            }
        }
        guard !bytes.contains(0) else { throw .notAPath(String(text)) }
        return String(nameBytes: bytes)
    }

    /// Encodes `%`, `?`, control characters and bytes that are not UTF-8 in a path; ``decode(_:)`` returns the original.
    static func encode(_ path: String) -> String {
        var bytes: [UInt8] = []
        for scalar in path.unicodeScalars {
            let coded = String(scalar)
            let isUTF8 = coded.nameBytes == Array(coded.utf8)
            for byte in coded.nameBytes {
                if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "?") || !isUTF8 {
                    bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
                } else {
                    bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
