import Waypost

/// A text in C's form, which lives as long as this object.
final class CText {
    let start: UnsafePointer<CChar>
    private let room: UnsafeMutableBufferPointer<CChar>

    init(_ text: String) {
        let bytes = text.utf8CString
        room = .allocate(capacity: bytes.count)
        _ = room.initialize(from: bytes)
        guard let address = room.baseAddress else { preconditionFailure("a text has at least its zero") }
        start = UnsafePointer(address)
    }

    deinit { room.deallocate() }
}

extension Duration {
    /// Whole milliseconds, at least one: none would be no limit.
    var wholeMilliseconds: Int64 {
        max(1, milliseconds)
    }
}
