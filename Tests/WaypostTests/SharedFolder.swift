import Foundation

/// Other people's data, which is never copied into the project: `WAYPOST_SHARED`, or a folder `shared` beside the package.
enum SharedFolder {
    private static let root: URL = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return ProcessInfo.processInfo.environment["WAYPOST_SHARED"].map { URL(filePath: $0) }
            ?? package.appending(path: "../shared").standardized
    }()

    /// The path of a file of the shared data, or nil where it is not at hand.
    static func path(_ name: String) -> String? {
        let path = root.appending(path: name).path()
        return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
}
