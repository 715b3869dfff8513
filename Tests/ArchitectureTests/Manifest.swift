import Foundation

/// What `Package.swift` declares, as the package manager reads it.
struct Manifest: Decodable {
    var targets: [Target]

    struct Target: Decodable {
        var name: String
        /// `regular`, `executable`, `test`, ...
        var type: String
        /// The folder, when it is not the usual one.
        var path: String?
        var dependencies: [Dependency]

        var isShipped: Bool { type != "test" && path?.hasPrefix("Tests/") != true }
    }

    /// `{"byName": ["Waypost", null]}` or `{"product": ["NIOCore", "swift-nio", null, null]}`.
    struct Dependency: Decodable {
        var target: String?
        var product: String?

        private enum CodingKeys: String, CodingKey { case byName, target, product }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let named = try container.decodeIfPresent([Part].self, forKey: .byName)
            let target = try container.decodeIfPresent([Part].self, forKey: .target)
            let product = try container.decodeIfPresent([Part].self, forKey: .product)
            self.target = (named ?? target)?.first?.name
            self.product = product?.first?.name
        }

        /// The name comes first; what follows (package, aliases, conditions) is of other kinds.
        private struct Part: Decodable {
            var name: String?
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                name = try? container.decode(String.self)  // a null or an object: not the name
            }
        }
    }

    /// Asks the package manager, which by then holds the lock of the usual build folder: it gets a folder of its own.
    static func read(package: URL) throws -> Manifest {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "waypost-manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", package.path(), "--scratch-path", scratch.path(), "dump-package",
        ]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode(Manifest.self, from: text)
    }
}
