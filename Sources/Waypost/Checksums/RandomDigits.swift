/// What nobody can guess: the names and secrets that a tracker makes for itself.
package enum RandomDigits {
    /// 32 hexadecimal digits, lower case: 128 bits of the system's generator.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return SHA256.hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
