import Waypost
import WaypostDispatch

extension ValueKind<DesiredAccuracy> {
    /// A level of accuracy by its name.
    static var accuracyLevel: ValueKind {
        let names = DesiredAccuracy.allCases.map(\.rawValue).joined(separator: ", ")
        return ValueKind(
            unit: names,
            schema: .choice(DesiredAccuracy.allCases.map(\.rawValue)),
            read: { (node) throws(ValueProblem) in
                guard case .string(let name) = node.value else { throw .wrongType(expected: "a level in quotes such as \"best\"") }
                guard let level = DesiredAccuracy(rawValue: name) else {
                    throw .invalid(reason: "\(quoted(name)) is not a level of accuracy; known: \(names)")
                }
                return level
            },
            write: { tomlString($0.rawValue) })
    }
}

extension ValueKind<String> {
    /// A shell command, or nothing.
    static var command: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let command) = node.value else { throw .wrongType(expected: "a command in quotes") }
                guard !command.utf8.contains(0) else { throw .invalid(reason: "must not contain a NUL character") }
                return command
            },
            write: tomlString)
    }
}

extension Configuration {
    /// Whether the tracker follows every fix for itself, rather than only significant changes.
    package var followsEveryFix: Bool {
        switch tracking.compatibility {
        case .none: return tracking.isHighAccuracy
        case .tealium:
            let tracksFences = geofences.file != nil || !geofences.url.isEmpty
            return TealiumMode(tracksFences: tracksFences, isHighAccuracy: tracking.isHighAccuracy).isFrequent
        }
    }

    /// Which positions the tracker follows for itself.
    package var selection: PositionSelection.Options {
        PositionSelection.Options(
            isSignificantOnly: !followsEveryFix, distanceFilterMetres: tracking.distanceFilterMetres, accuracy: tracking.accuracy)
    }
}
