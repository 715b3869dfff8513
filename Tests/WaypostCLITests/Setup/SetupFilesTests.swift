import Foundation
import Testing
import Waypost
import WaypostConfiguration
import WaypostSystem

@testable import WaypostCLI

/// The files of `waypost setup`.
@Suite struct SetupFilesTests {
    /// A user's own configuration can be set up before there is a file of it, and the tracker reads what was written.
    @Test func beginsAConfigurationThatDoesNotExistYet() throws {
        let folder = NSTemporaryDirectory() + "waypost-setup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/config/waypost.toml"
        let files = try SetupFiles(named: file, paths: .service, service: nil, own: file)
        #expect(files.path == "\(folder)/config/conf.d/\(SetupAnswers.fileName)" && files.former == nil && files.others.files.isEmpty)
        var answers = SetupAnswers(nil, others: files.others)
        answers.units = .nautical
        try files.write(try files.draft((answers: answers, secrets: [:]), command: "waypost setup"))
        let loaded = try Configuration.load(path: file, paths: .service)
        #expect(loaded.files == [file, files.path] && loaded.configuration.display.units == .nautical)
    }
}
