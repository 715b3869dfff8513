/// A part of a road file: records of one size, inside of the file's bytes.
struct RoadSection: Sendable {
    nonisolated(unsafe) private let start: UnsafeRawPointer  // The storage, which its owner keeps, never changes.
    /// Where it begins in the file.
    let offset: Int
    /// How many records it has.
    let count: Int
    let byteCount: Int
    let checksum: UInt32

    /// The part of a file; the range must lie inside.
    init(_ bytes: UnsafeRawBufferPointer, offset: Int, count: Int, stride: Int, checksum: UInt32) {
        guard let base = bytes.baseAddress, offset >= 0, offset + count * stride <= bytes.count else {
            preconditionFailure("a section lies inside of its file")
        }
        start = base + offset
        self.offset = offset
        self.count = count
        byteCount = count * stride
        self.checksum = checksum
    }

    /// A record, whose number must be below ``count``.
    @inline(__always)
    func record(_ number: Int, stride: Int) -> UnsafeRawPointer {
        assert(number >= 0 && number < count)
        return start + number * stride
    }

    /// The checksum of bytes of it, which must lie inside.
    func checksum(_ offset: Int, _ count: Int, continuing previous: UInt32) -> UInt32 {
        precondition(offset >= 0 && count >= 0 && offset + count <= byteCount)
        return CRC32C.checksum(UnsafeRawBufferPointer(start: start + offset, count: count).bytes, continuing: previous)
    }

    /// A byte; nil behind the end.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8? { offset >= 0 && offset < byteCount ? (start + offset).load(as: UInt8.self) : nil }
}

extension UnsafeRawPointer {
    /// The number at that place, its lowest byte first.
    @inline(__always)
    func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// Reads numbers of any size from a section of bytes; see ``RoadFileLayout``.
struct VarintReader {
    let section: RoadSection
    var offset: Int

    /// The next number; nil behind the end, and for one of more than 63 bits.
    @inline(__always)
    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 63, let byte = section.byte(offset) {
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Leaves out a number, and that many bytes.
    @inline(__always)
    mutating func skip() {
        let count = min(next() ?? 0, UInt64(section.byteCount))
        offset = min(offset + Int(count), section.byteCount)
    }

    /// The next number with a sign.
    @inline(__always)
    mutating func nextSigned() -> Int64? { next().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) } }

    /// The next bytes; nil when there are not so many.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, offset + count <= section.byteCount else { return nil }
        defer { offset += count }
        return (offset..<offset + count).compactMap { section.byte($0) }
    }
}
