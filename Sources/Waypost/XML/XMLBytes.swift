// XML's grammar for bytes; text is UTF-8 or another encoding whose first half is ASCII.

extension UInt8 {
    /// Whether the byte may begin a name: letters, `_`, `:` and everything beyond ASCII.
    @inline(__always)
    var isXMLNameStart: Bool {
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 26 || self >= 0x80 || self == UInt8(ascii: "_") || self == UInt8(ascii: ":")
    }

    /// Whether the byte ends a name: white space, controls and the marks of markup.
    @inline(__always)
    var endsXMLName: Bool {
        // One comparison for letters.
        guard self <= UInt8(ascii: ">") else { return false }
        return self <= 0x20 || self == UInt8(ascii: ">") || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
            || self == UInt8(ascii: "<") || self == UInt8(ascii: "\"") || self == UInt8(ascii: "'")
    }
}

extension Span<UInt8> {
    /// Where the name that starts at this place ends.
    @inline(__always)
    func endOfXMLName(from start: Int) -> Int {
        var end = start
        while end < count, !self[unchecked: end].endsXMLName { end += 1 }
        return end
    }

    /// The first place of a byte from a start on; eight bytes are checked per step.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let pattern = 0x0101_0101_0101_0101 &* UInt64(byte)
        let raw = self.bytes
        var place = start
        while place &+ 8 <= count {
            // The byte sought becomes zero; its top bit remains, perhaps with those of others above it.
            let different = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self).littleEndian ^ pattern
            let found = (different &- 0x0101_0101_0101_0101) & ~different & 0x8080_8080_8080_8080
            if found != 0 { return place &+ found.trailingZeroBitCount >> 3 }
            place &+= 8
        }
        while place < count {
            if self[unchecked: place] == byte { return place }
            place &+= 1
        }
        return nil
    }

    /// Whether any byte is 0; all are looked at, so that compilers look at sixteen at once.
    var hasNUL: Bool {
        var found: UInt8 = 0
        var place = 0
        while place < count {
            found |= self[unchecked: place] == 0 ? 1 : 0
            place &+= 1
        }
        return found != 0
    }

    /// Whether a literal is at that place; nil when the bytes end within it.
    func hasLiteral(_ literal: StaticString, at start: Int) -> Bool? {
        for index in 0..<literal.utf8CodeUnitCount {
            guard start + index < count else { return nil }
            guard self[start + index] == literal.utf8Start[index] else { return false }
        }
        return true
    }
}
