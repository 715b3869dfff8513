import Foundation

/// Certificates that a test makes for itself.
enum TestCertificate {
    /// Makes NAME.pem and NAME.key in a folder, good for two days; false when openssl is not installed.
    ///
    /// - Parameter names: what the certificate is good for, such as `IP:127.0.0.1`.
    static func make(_ name: String, subject: String, names: String, in folder: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            + ["-subj", subject, "-addext", "subjectAltName=\(names)", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
