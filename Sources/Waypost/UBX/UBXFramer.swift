/// Finds UBX frames among anything else on a line: NMEA, noise, truncated frames.
///
/// If a checksum is wrong, the search continues at the second byte of the frame, so that a frame inside it is found.
/// - Cost: keeps at most one frame's bytes; each byte is read once, and once more for each false beginning.
package struct UBXFramer: Sendable {
    /// Bytes that may still become a frame; they begin with its first byte.
    private var pending: [UInt8] = []

    // Synchronization, class, identifier, length; and the checksum.
    private static let headerBytes = 6
    private static let frameBytes = 8

    /// Creates a framer at the start of its input.
    package init() {}

    /// Takes the next bytes, cut anywhere, and adds the frames that they complete.
    package mutating func process(_ bytes: Span<UInt8>, into frames: inout [UBXFrame]) {
        for offset in 0..<bytes.count {
            let byte = bytes[offset]
            // The bytes between frames are mostly text.
            if pending.isEmpty, byte != UBXFrame.synchronization[0] { continue }
            pending.append(byte)
            scan(into: &frames)
        }
    }

    /// Drops bytes from the front that cannot be a frame, and extracts each frame.
    private mutating func scan(into frames: inout [UBXFrame]) {
        while !pending.isEmpty {
            switch look() {
            case .open: return
            case .broken: dropBeginning()
            case .frame(let frame, let byteCount):
                frames.append(frame)
                // More bytes than the frame's are there if an earlier beginning was false.
                pending.removeSubrange(..<byteCount)
            }
        }
    }

    private enum Look {
        case open
        case broken
        case frame(UBXFrame, byteCount: Int)
    }

    private func look() -> Look {
        guard pending[0] == UBXFrame.synchronization[0] else { return .broken }
        guard pending.count > 1 else { return .open }
        guard pending[1] == UBXFrame.synchronization[1] else { return .broken }
        guard pending.count >= UBXFramer.headerBytes else { return .open }
        let length = Int(pending[4]) | Int(pending[5]) << 8
        guard length <= UBXFrame.longestPayload else { return .broken }
        let count = length + UBXFramer.frameBytes
        guard pending.count >= count else { return .open }
        var checksum = UBXChecksum()
        for byte in pending[2..<(count - 2)] { checksum.add(byte) }
        guard pending[count - 2] == checksum.first, pending[count - 1] == checksum.second else { return .broken }
        return .frame(UBXFrame(.init(pending[2], pending[3]), Array(pending[UBXFramer.headerBytes..<(count - 2)])), byteCount: count)
    }

    /// Drops a false beginning and continues at the next byte that may begin a frame.
    private mutating func dropBeginning() {
        let next = pending.dropFirst().firstIndex(of: UBXFrame.synchronization[0]) ?? pending.endIndex
        pending.removeSubrange(..<next)
    }
}
