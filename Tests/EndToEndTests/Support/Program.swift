import Foundation
import Glibc

/// The programs under test, as the build has left them beside the test bundle.
enum Program: String {
    case waypost
    case waypostd

    /// Where the program is.
    var path: String { Program.folder + rawValue }

    /// The folder of the programs, with its slash.
    private static let folder: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let besideUs = URL(filePath: bundle).deletingLastPathComponent().path() + "/"
        if access(besideUs + Program.waypostd.rawValue, X_OK) == 0 { return besideUs }
        // A test runner elsewhere that was told where the bundle is.
        let named = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? bundle
        return URL(filePath: named).deletingLastPathComponent().path() + "/"
    }()

    /// Whether programs can run as a user without rights: we are one, or are root and that user can reach the programs.
    static let canRunAsNobody: Bool = {
        guard getuid() == 0 else { return true }
        let check = Process()
        check.executableURL = URL(filePath: "/usr/bin/env")
        // By a shell of that user: setpriv itself may still pass folders that the user may not.
        check.arguments = asNobody + ["sh", "-c", #"exec "$0" --version"#, Program.waypostd.path]
        check.standardOutput = FileHandle.nullDevice
        check.standardError = FileHandle.nullDevice
        do { try check.run() } catch { return false }
        check.waitUntilExit()
        return check.terminationStatus == 0
    }()

    /// What goes before a command so that it runs as a user without rights.
    static let asNobody = getuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
}

/// The package's own files.
enum Package {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Our recorded drive of ten minutes; the first fix comes at its 25th epoch.
    static let drive = root.appending(path: "Tests/Data/drive.nmea").path()

    /// A file of the package by its path in it.
    static func file(_ path: String) -> String { root.appending(path: path).path() }

    /// A script of the tests.
    static func script(_ name: String) -> String { root.appending(path: "Tests/Scripts/\(name)").path() }

    /// The folder of other people's data, which may be missing.
    static let shared = ProcessInfo.processInfo.environment["WAYPOST_SHARED"] ?? root.appending(path: "../shared").standardized.path()

    /// The official schema of GPX with the extensions we use, if it is at hand; without it GPX files are only checked to be XML.
    static let schema: String? = {
        let path = shared + "/data/xsd/master.xsd"
        return access(path, R_OK) == 0 ? path : nil
    }()
}
