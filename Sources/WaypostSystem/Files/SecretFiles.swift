/// Secrets in files that nobody else may read: the first line of each.
package struct SecretFiles: Sendable {
    /// The folder of systemd's credentials (`CREDENTIALS_DIRECTORY`); nil when there is none.
    package var credentialsFolder: String?

    /// Secrets in files, and in systemd's credentials in that folder.
    package init(credentialsFolder: String? = nil) {
        self.credentialsFolder = credentialsFolder
    }

    /// Why a secret cannot be read from a file.
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    /// The prefix of a systemd credential's name, in place of a path.
    private static let credentialPrefix = "credential:"

    private static let emptiness = "is empty; its first line must be the secret"
    private static let mostBytes = 65_536

    /// Why no secret can be taken from a file, as far as its bytes or their count tell; nil when one can.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, if they can be read.
    ///   - isToken: whether it is sent in a header of HTTP, which holds no control characters.
    package static func fault(in bytes: [UInt8]?, byteCount: Int, isToken: Bool) -> String? {
        if byteCount > mostBytes { return "has more than \(mostBytes) bytes; its first line must be the secret" }
        guard let bytes else { return byteCount == 0 ? emptiness : nil }
        let line = firstLine(bytes)
        if line.isEmpty { return emptiness }
        guard isToken, line.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return "holds a control character in its first line, which must be the token"
    }

    private static func firstLine(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }

    /// The secret; never logged or shown.
    ///
    /// - Parameter place: a path, or `credential:NAME` for the credential that the service's `LoadCredential=NAME:...` provides.
    package func read(_ place: String) throws(Problem) -> String {
        let path = try path(of: place)
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try Syscalls.contents(of: path, limit: SecretFiles.mostBytes) } catch {
            let obstacle = error.isNotPermitted ? ReadingUser.ofThisProcess?.obstacle(to: path, isSecret: true) : nil
            if let obstacle { throw Problem(description: "\(path): \(obstacle.words)") }
            throw Problem(description: "\(path): cannot be read: \(error.reason)")
        }
        guard let bytes else { throw Problem(description: "\(path): there is no such file") }
        guard !Syscalls.isOpenToOthers(path) else {
            throw Problem(description: "\(path): other users may read or change it; chmod 600 \(path)")
        }
        let secret = String(decoding: SecretFiles.firstLine(bytes), as: UTF8.self)
        guard !secret.isEmpty else { throw Problem(description: "\(path): \(SecretFiles.emptiness)") }
        return secret
    }

    /// Reads secrets to see whether they can be read.
    ///
    /// - Errors: every one that cannot, not the first alone: they are then put right in one go.
    package func check(_ places: [String]) throws(Problem) {
        var problems: [String] = []
        for place in places {
            do throws(Problem) { _ = try read(place) } catch { problems.append(error.description) }
        }
        if !problems.isEmpty { throw Problem(description: problems.joined(separator: "; ")) }
    }

    /// The file of a secret.
    ///
    /// - Parameter place: as for ``read(_:)``.
    package func path(of place: String) throws(Problem) -> String {
        guard place.hasPrefix(SecretFiles.credentialPrefix) else { return place }
        let name = place.dropFirst(SecretFiles.credentialPrefix.count)
        guard !name.isEmpty, !name.contains("/") else { throw Problem(description: "\(place): must be credential:NAME") }
        guard let folder = credentialsFolder else {
            throw Problem(
                description: "\(place): systemd gives none; add LoadCredential=\(name):/PATH to the service (systemctl edit waypostd)")
        }
        return "\(folder)/\(name)"
    }
}
