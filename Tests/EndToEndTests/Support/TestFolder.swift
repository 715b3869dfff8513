import Foundation

/// A folder of its own for each test, which goes away with the last reference; everybody may look into it.
final class TestFolder: Sendable {
    /// Its path: short, as the path of a Unix socket has 107 bytes at most.
    let path: String

    init() throws {
        path = "/tmp/waypost-e2e-" + String(UInt32.random(in: .min ... .max), radix: 16)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit {
        // What is left behind does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of what has that name in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Writes a text and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

    /// The text of a file.
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
    }

    /// The names in the folder, or in one below it, sorted, hidden ones included.
    func names(in name: String = ".") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }

    /// Lets user 65534 write here, as whom programs run that must not be root.
    func giveToNobody(_ name: String = ".") throws {
        try FileManager.default.setAttributes([.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534], ofItemAtPath: path(name))
    }
}
