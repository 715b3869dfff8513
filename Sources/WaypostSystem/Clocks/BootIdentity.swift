/// Identifies the current boot of this machine.
public enum BootIdentity {
    /// The kernel's random number of this boot, 16 bytes; a random number made by this process where `/proc` is missing.
    public static let bytes: [UInt8] = {
        let text = (try? Syscalls.contents(of: "/proc/sys/kernel/random/boot_id")) ?? nil  // without /proc: random
        let digits = (text ?? []).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32 else { return (0..<16).map { _ in UInt8.random(in: .min ... .max) } }
        return stride(from: 0, to: 32, by: 2).map { (place: Int) -> UInt8 in UInt8(digits[place] << 4 | digits[place + 1]) }
    }()
}
