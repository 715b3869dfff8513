import Testing
import WaypostSystem

@Suite struct DefaultPathsTests {
    private let home = ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"]

    @Test(arguments: [(UInt32(0), "root"), (0, nil), (997, "waypost")])
    func givesTheServiceTheSystemsFolders(userID: UInt32, userName: String?) {
        let paths = DefaultPaths(environment: home.merging(["XDG_STATE_HOME": "/s"]) { $1 }, userID: userID, userName: userName)
        #expect(paths == .service)
        #expect(paths.stateDirectory == "/var/lib/waypost")
        #expect(paths.logDirectory == "/var/log/waypost")
        #expect(paths.socket == "/run/waypost/waypost.sock")
        #expect(paths.configurationFile == "/etc/waypost/waypost.toml")
    }

    @Test func givesOthersTheirOwnFolders() {
        let paths = DefaultPaths(environment: home, userID: 1000, userName: "ann")
        #expect(paths.stateDirectory == "/home/ann/.local/state/waypost")
        #expect(paths.logDirectory == "/home/ann/.local/state/waypost/log")
        #expect(paths.socket == "/run/user/1000/waypost.sock")
        #expect(paths.configurationFile == "/home/ann/.config/waypost/waypost.toml")
    }

    @Test func followsTheXDGVariablesIfTheyAreAbsolute() {
        let set = ["HOME": "/h", "XDG_STATE_HOME": "/s/", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"]
        let paths = DefaultPaths(environment: set, userID: 1000, userName: nil)
        #expect(paths.stateDirectory == "/s/waypost")
        #expect(paths.configurationFile == "/c/waypost/waypost.toml")
        #expect(paths.socket == "/r/waypost.sock")
        let relative = DefaultPaths(environment: ["HOME": "/h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": ""], userID: 1000, userName: nil)
        #expect(relative.stateDirectory == "/h/.local/state/waypost")
        #expect(relative.configurationFile == "/h/.config/waypost/waypost.toml")
    }

    @Test func putsTheSocketIntoTheStateFolderWithoutARuntimeFolder() {
        let paths = DefaultPaths(environment: ["HOME": "/h"], userID: 1000, userName: nil)
        #expect(paths.socket == "/h/.local/state/waypost/waypost.sock")
    }

    @Test func putsTheLogBelowAChosenStateFolder() {
        let service = DefaultPaths(environment: [:], userID: 0, userName: "root", stateDirectory: "/x")
        #expect(service.logDirectory == "/x/log")
        #expect(service.socket == "/run/waypost/waypost.sock")
        let other = DefaultPaths(environment: ["HOME": "/h"], userID: 1000, userName: nil, stateDirectory: "/x")
        #expect(other.logDirectory == "/x/log")
        #expect(other.socket == "/x/waypost.sock")
    }

    @Test func takesTheSystemsFoldersWithoutAHome() {
        let paths = DefaultPaths(environment: [:], userID: 1000, userName: nil)
        #expect(paths.stateDirectory == "/var/lib/waypost")
        #expect(paths.logDirectory == "/var/log/waypost")
        #expect(paths.configurationFile == "/etc/waypost/waypost.toml")
    }

    @Test func letsTheEnvironmentNameTheSocket() {
        #expect(DefaultPaths(environment: ["WAYPOST_SOCKET": "/w"], userID: 0, userName: nil).socket == "/w")
        #expect(DefaultPaths(environment: ["WAYPOST_SOCKET": ""], userID: 0, userName: nil) == .service)
    }

    @Test func findsTheSocketAsAClient() {
        func socket(
            _ option: String?, _ extra: [String: String], serviceRuns: Bool, environment: [String: String]? = nil, ownRuns: Bool = false
        ) -> String {
            DefaultPaths.clientSocket(
                option: option, environment: (environment ?? home).merging(extra) { $1 }, userID: 1000, userName: "ann",
                exists: { $0 == "/run/waypost/waypost.sock" && serviceRuns }, hasListener: { _ in ownRuns })
        }
        #expect(socket("/o", ["WAYPOST_SOCKET": "/w"], serviceRuns: true) == "/o")
        #expect(socket(nil, ["WAYPOST_SOCKET": "/w"], serviceRuns: true) == "/w")
        #expect(socket(nil, [:], serviceRuns: true) == "/run/waypost/waypost.sock")
        // Who runs a tracker of his own beside the service sees that one.
        #expect(socket(nil, [:], serviceRuns: true, ownRuns: true) == "/run/user/1000/waypost.sock")
        #expect(socket("/o", [:], serviceRuns: true, ownRuns: true) == "/o")
        #expect(socket(nil, [:], serviceRuns: false) == "/run/user/1000/waypost.sock")
        #expect(socket(nil, [:], serviceRuns: false, environment: ["HOME": "/h"]) == "/h/.local/state/waypost/waypost.sock")
    }

    @Test func clientFindsWhatTheTrackerOpens() {
        for environment in [home, ["HOME": "/h"], [:], ["WAYPOST_SOCKET": "/w"]] {
            for (userID, userName) in [(UInt32(0), "root"), (1000, "ann"), (997, "waypost")] {
                let tracker = DefaultPaths(environment: environment, userID: userID, userName: userName).socket
                let client = DefaultPaths.clientSocket(
                    option: nil, environment: environment, userID: userID, userName: userName, exists: { $0 == tracker },
                    hasListener: { $0 == tracker })
                #expect(client == tracker)
            }
        }
    }
}
