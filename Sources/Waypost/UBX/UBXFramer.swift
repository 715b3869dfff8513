/// Finds the UBX frames among whatever else comes over a line: NMEA, noise, frames that were cut.
///
/// If a checksum is wrong, the search goes on at the second byte of the frame, so that a frame inside it is found.
/// - Cost: keeps at most one frame's bytes; each byte is looked at once, and once more for each beginning that turns out to be none.
public struct UBXFramer: Sendable {
    /// What may still become a frame; begins with its first byte.
    private var pending: [UInt8] = []

    // Synchronisation, class, identifier, length; and the checksum.
    private static let headerBytes = 6
    private static let frameBytes = 8

    /// Nothing read yet.
    public init() {}

    /// Takes the next bytes, cut anywhere, and adds the frames that they complete.
    public mutating func process(_ bytes: Span<UInt8>, into frames: inout [UBXFrame]) {
        for offset in 0..<bytes.count {
            let byte = bytes[offset]
            // Between frames there is mostly text.
            if pending.isEmpty, byte != UBXFrame.synchronization[0] { continue }
            pending.append(byte)
            scan(into: &frames)
        }
    }

    /// Cuts from the front what cannot be a frame, and takes what is one.
    private mutating func scan(into frames: inout [UBXFrame]) {
        while !pending.isEmpty {
            switch look() {
            case .open: return
            case .broken: dropBeginning()
            case .frame(let frame, let byteCount):
                frames.append(frame)
                // More than the frame is there when a beginning before it was none.
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

    /// The beginning was none: goes on at the next byte that may be one.
    private mutating func dropBeginning() {
        let next = pending.dropFirst().firstIndex(of: UBXFrame.synchronization[0]) ?? pending.endIndex
        pending.removeSubrange(..<next)
    }
}
