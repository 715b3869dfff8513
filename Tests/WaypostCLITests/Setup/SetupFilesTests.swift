import Foundation
import Testing
import Waypost
import WaypostConfiguration
import WaypostDispatch
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

    /// A new password goes beside the one in force: until the new answers are there, the old ones name the old password.
    @Test func keepsThePasswordInForceUntilTheAnswersAreWritten() throws {
        let folder = NSTemporaryDirectory() + "waypost-setup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/waypost.toml"
        func draft(_ secret: String, user: String) throws -> (files: SetupFiles, draft: SetupFiles.Draft) {
            let files = try SetupFiles(named: file, paths: .service, service: nil, own: file)
            var answers = SetupAnswers(files.former, others: files.others)
            answers.destinations = try SetupAnswerText.destinations(["mqtt://\(user)@127.0.0.1:1"], former: answers.destinations)
            return (files, try files.draft((answers: answers, secrets: ["mqtt": secret]), command: "waypost setup"))
        }
        for (secret, user, name) in [
            ("one", "ana", "mqtt.password"), ("two", "bo", "mqtt.2.password"), ("two", "bo", "mqtt.2.password"),
            ("three", "ana", "mqtt.password"),
        ] {
            let (files, draft) = try draft(secret, user: user)
            #expect(draft.secrets.map(\.path) == ["\(folder)/\(name)"])
            try files.write(draft)
            let destination = try #require(try Configuration.load(path: file, paths: .service).configuration.destinations.first)
            #expect(destination.user == user && destination.passwordFile == "\(folder)/\(name)")
            #expect(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) == secret + "\n")
        }
    }
}
