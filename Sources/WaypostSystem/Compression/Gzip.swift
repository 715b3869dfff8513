import CZlib

/// Compresses what is sent, with the system's zlib; the library is opened at the first use.
///
/// - Cost: about 300 kB of memory while it works; a batch of positions shrinks to an eighth.
public enum Gzip {
    /// Returns one gzip file (RFC 1952) of these bytes.
    ///
    /// - Errors: zlib is not there, or there is no memory.
    public static func compress(_ bytes: [UInt8]) throws(LibraryError) -> [UInt8] {
        if let problem = czlib_load() { throw LibraryError(reason: String(cString: problem)) }
        // Data that cannot be compressed grows by five bytes for each block of at least 16 kB, and by the header and the checksum.
        let room = bytes.count + bytes.count / 1_000 + 64
        let packed = [UInt8](unsafeUninitializedCapacity: room) { place, count in
            bytes.withUnsafeBytes { count = czlib_gzip(place.baseAddress, room, $0.baseAddress, bytes.count) }
        }
        if packed.isEmpty { throw LibraryError(reason: "no memory to compress \(bytes.count) bytes") }
        return packed
    }
}

/// The failure of a system library that is opened when it is needed.
public struct LibraryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is missing, and how to get it, for people.
    public var reason: String

    /// The failure, in words for people.
    public var description: String { reason }
}
