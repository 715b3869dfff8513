import Foundation

/// A folder for programs that a test starts: nobody else can put another one in their place.
public enum TrustedFolder {
    /// A path that nothing has yet, without links: below the build folder, or below the home folder when every user can write to a folder above
    /// the build folder, such as `/tmp`.
    ///
    /// - Parameter purpose: the beginning of its name.
    public static func path(for purpose: String) -> String {
        let build = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: ".build").resolvingSymlinksInPath()
        let home = URL(filePath: NSHomeDirectory()).resolvingSymlinksInPath().appending(path: ".cache/waypost-tests")
        let folder = isTrusted(build) ? build : home
        return folder.appending(path: "waypost-\(purpose)-\(UInt32.random(in: .min ... .max))").path()
    }

    private static func isTrusted(_ folder: URL) -> Bool {
        var place = folder
        while true {
            let attributes = try? FileManager.default.attributesOfItem(atPath: place.path())  // What is not there is not trusted.
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o002 == 0 else { return false }
            if place.path() == "/" { return true }
            place = place.deletingLastPathComponent()
        }
    }
}
