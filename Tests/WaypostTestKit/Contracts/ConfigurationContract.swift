import Waypost
import WaypostConfiguration
import WaypostSystem

/// The contract for reading a configuration, whatever the bytes: the result is a value, or mistakes that have a place.
public enum ConfigurationContract {
    /// Whether the bytes are a valid configuration, and the ways in which the result is not fit for people.
    ///
    /// - A configuration has a source.
    /// - Every mistake is one line and has a place within the text.
    public static func outcome(ofReading bytes: [UInt8]) -> (isSound: Bool, violations: [Violation]) {
        do throws(ConfigurationErrors) {
            let loaded = try Configuration.read([ConfigurationFile(name: "f", bytes: bytes)], paths: .service)
            return (true, loaded.configuration.sources.isEmpty ? [Violation("no source")] : [])
        } catch {
            // Every line break ends a line; the mistake may be at the end, after the last one.
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            let unfit = error.errors.filter { mistake in
                guard let place = mistake.place else { return true }
                return !(1...lines).contains(place.line) || place.column < 1 || mistake.description.contains { $0.isNewline }
            }
            return (false, error.errors.isEmpty ? [Violation("refused without a mistake")] : unfit.map { Violation("\($0)") })
        }
    }
}
