/// Keeps the bytes of a road file: mapped into memory, or an array.
///
/// - Concurrency: the bytes stay where they are and unchanged for as long as the object lives; everybody may read them at once.
public protocol RoadStorage: AnyObject, Sendable {
    /// The whole file.
    var bytes: UnsafeRawBufferPointer { get }

    /// Gives back the memory of whole pages in a range that is not needed for now, if there is a file from which they can be read again.
    func release(_ range: Range<Int>)
}

extension RoadStorage {
    /// Nothing: there is no file.
    public func release(_ range: Range<Int>) {}
}

/// The bytes of a road file in memory: a map that was made by hand, or read from somewhere else than a file.
public final class RoadBytes: RoadStorage {
    nonisolated(unsafe) private let copy: UnsafeMutableRawBufferPointer  // Written once, before anybody else can see it.

    /// Copies the bytes.
    public init(_ bytes: [UInt8]) {
        copy = .allocate(byteCount: max(bytes.count, 1), alignment: 8)
        copy.copyBytes(from: bytes)
        count = bytes.count
    }

    private let count: Int

    /// The copy.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: copy.baseAddress, count: count) }

    deinit { copy.deallocate() }
}
