import Waypost
import WaypostSystem

/// Where the page's token is: in a file of the configuration, or in the state folder, where the tracker makes it.
struct PageSecret: Sendable {
    /// The file of the configuration; nil for none.
    let file: String?
    let stateFolder: String
    let secrets: SecretFiles

    /// Why there is no token, for people.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The path in the state folder.
    private var ownPath: String { stateFolder + "/page-token" }

    /// The token; made when the state folder has none yet.
    func token() throws(Problem) -> PageToken {
        if let file {
            let text: String
            do throws(SecretFiles.Problem) { text = try secrets.read(file) } catch { throw Problem(description: error.description) }
            if let token = PageToken(text) { return token }
            throw Problem(description: "\(file): the token must have 16 to 128 letters, digits, '.', '_', '~' or '-'")
        }
        do throws(SystemError) {
            if let stored = try Syscalls.contents(of: ownPath, as: .own) {
                let line = stored.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
                if let token = PageToken(String(decoding: line, as: UTF8.self)) { return token }
            }
            let token = PageToken.random()
            try AtomicFile.write(Array((token.secret + "\n").utf8), to: ownPath, mode: 0o600)
            return token
        } catch {
            throw Problem(description: "\(ownPath): the page's token cannot be read or made: \(error.reason)")
        }
    }
}
