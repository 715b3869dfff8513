import WaypostSystem

/// The mark of the program that runs, in a file: whoever starts the next one finds by it what a killed starter has left.
///
/// The file is written in place, so that no folder's time tells when a program was started.
struct RunningMark {
    let path: String

    /// The number of digits of a mark.
    private static let digitCount = 32

    /// The mark of what runs, or has run when its starter was killed; nil when nothing has.
    func load() throws(SystemError) -> String? {
        guard let text = try Syscalls.contents(of: path, as: .own), text.count == RunningMark.digitCount,
            text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 })
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Notes the mark of what is started now.
    func save(_ mark: String) throws(SystemError) { try Syscalls.overwrite(path, with: Array(mark.utf8)) }

    /// Notes that nothing runs.
    func clear() throws(SystemError) {
        try Syscalls.overwrite(path, with: [UInt8](repeating: UInt8(ascii: "-"), count: RunningMark.digitCount))
    }
}
