/// The checksum of UBX frames: Fletcher's, over class, identifier, length and payload.
///
/// - Source: u-blox 8 / M8 receiver description (UBX-13003221), section 32.4.
struct UBXChecksum: Equatable {
    /// The sum of the bytes, the first of the two that end a frame.
    private(set) var first: UInt8 = 0
    /// The sum of those sums, the second byte.
    private(set) var second: UInt8 = 0

    /// Adds the next byte.
    mutating func add(_ byte: UInt8) {
        first &+= byte
        second &+= first
    }
}
