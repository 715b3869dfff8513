import Foundation
import Testing
import WaypostConfiguration
import WaypostSystem

@Suite struct ConfigurationLoadingTests {
    /// Runs the body in a new folder with these files, and removes it afterwards.
    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waypost-configuration-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            let url = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try body(folder.path)
    }

    private func paths(configurationFile: String) -> DefaultPaths {
        var paths = DefaultPaths.service
        paths.configurationFile = configurationFile
        return paths
    }

    @Test func mergesTheFilesOfConfDInOrder() throws {
        let files = [
            "waypost.toml": "[log]\nsync_interval = 1", "conf.d/20-b.toml": "[log]\nsync_interval = 3",
            "conf.d/10-a.toml": "[log]\nsync_interval = 2", "conf.d/notes.txt": "not TOML", "conf.d/.hidden.toml": "not TOML",
        ]
        try withFolder(files) { folder in
            let loaded = try Configuration.load(path: "\(folder)/waypost.toml", paths: .service)
            #expect(loaded.configuration.log.syncInterval == .seconds(3))
            #expect(loaded.files == ["waypost.toml", "conf.d/10-a.toml", "conf.d/20-b.toml"].map { "\(folder)/\($0)" })
        }
    }

    @Test func passesOverTheUsersOwnFileWhereItCannotBeLookedAt() throws {
        try withFolder(["home": "no folder", "waypost.toml/x": ""]) { folder in
            // Also for root, whom no permission stops.
            let hidden = paths(configurationFile: "\(folder)/home/waypost.toml")
            let loaded = try Configuration.load(path: nil, paths: hidden)
            #expect(loaded.files == [])
            #expect(throws: ConfigurationErrors.self) { try Configuration.load(path: hidden.configurationFile, paths: hidden) }
            // One that is there and cannot be read is a mistake.
            let unreadable = paths(configurationFile: "\(folder)/waypost.toml")
            #expect(throws: ConfigurationErrors.self) { try Configuration.load(path: nil, paths: unreadable) }
        }
    }

    @Test func refusesAFileInThePlaceOfTheFolder() throws {
        try withFolder(["waypost.toml": "", "conf.d": "[log]\nsync_interval = 2"]) { folder in
            let refused = try #require(throws: ConfigurationErrors.self) {
                try Configuration.load(path: "\(folder)/waypost.toml", paths: .service)
            }
            #expect(refused.errors.map(\.description).joined().contains("\(folder)/conf.d"))
            #expect(refused.errors.map(\.description).joined().contains("is not a folder"))
        }
    }

    @Test func tellsAMissingFileFromABadOne() throws {
        try withFolder(["conf.d/a.toml": "[log]\nx = 1", "bad.toml": "["]) { folder in
            let missing = try #require(throws: ConfigurationErrors.self) {
                try Configuration.load(path: "\(folder)/waypost.toml", paths: .service)
            }
            #expect(missing.isNotFound)
            #expect(missing.errors.first?.description == "\(folder)/waypost.toml: no such file")
            #expect(missing.errors.last?.file == "\(folder)/conf.d/a.toml")
            let bad = try #require(throws: ConfigurationErrors.self) { try Configuration.load(path: "\(folder)/bad.toml", paths: .service) }
            #expect(!bad.isNotFound)
        }
    }

    @Test func doesWithoutTheDefaultFileButReadsItsConfD() throws {
        try withFolder(["conf.d/a.toml": "[log]\nsync_interval = 4"]) { folder in
            let loaded = try Configuration.load(path: nil, paths: paths(configurationFile: "\(folder)/waypost.toml"))
            #expect(loaded.configuration.log.syncInterval == .seconds(4))
            #expect(loaded.files == ["\(folder)/conf.d/a.toml"])
            let nothing = try Configuration.load(path: nil, paths: paths(configurationFile: "\(folder)/none/waypost.toml"))
            #expect(nothing.configuration == Configuration(paths: .service))
        }
    }

    @Test func refusesFoldersAndHugeFiles() throws {
        let justFits = "#" + String(repeating: "x", count: Configuration.maximumFileBytes - 1)
        try withFolder(["fits.toml": justFits, "huge.toml": justFits + "x", "folder/x": ""]) { folder in
            #expect(try Configuration.load(path: "\(folder)/fits.toml", paths: .service).origins.isEmpty)
            let huge = try #require(throws: ConfigurationErrors.self) {
                try Configuration.load(path: "\(folder)/huge.toml", paths: .service)
            }
            #expect(huge.errors.map(\.description) == ["\(folder)/huge.toml: cannot be read: File too large"])
            let isFolder = try #require(throws: ConfigurationErrors.self) {
                try Configuration.load(path: "\(folder)/folder", paths: .service)
            }
            #expect(isFolder.errors.map(\.description) == ["\(folder)/folder: cannot be read: Is a directory"])
        }
    }
}
