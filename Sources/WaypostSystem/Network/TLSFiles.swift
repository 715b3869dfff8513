import Glibc

/// The files that a TLS library opens by name, without a look at what they are: from a FIFO or a device it would read for ever.
package enum TLSFiles {
    /// Why one of them cannot be used.
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    /// Makes sure that all are ordinary files that can be read.
    ///
    /// - Parameter paths: the trusted certificates, and our own certificate and key; nil for those that are not needed.
    package static func check(_ paths: [String?]) throws(Problem) {
        for path in paths.compactMap({ $0 }) {
            do throws(SystemError) {
                let descriptor = try Syscalls.open(path, O_RDONLY, as: .named)
                defer { Syscalls.close(descriptor) }
                guard !Syscalls.isRegularFile(descriptor) else { continue }
                throw SystemError.isFolder(path).explained("is a folder, not a file")
            } catch {
                throw Problem(description: "\(path): cannot be read: \(error.reason)")
            }
        }
    }
}
