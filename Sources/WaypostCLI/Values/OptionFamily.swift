/// Options that mean the same in different commands or programs, under different names.
///
/// A period of time is `--since` and `--until` everywhere, how long something holds is `--for`, and how long to wait for it at most is `--timeout`.
enum OptionFamily: CaseIterable {
    /// A period's begin and end.
    case begin, end
    /// How long something holds.
    case duration
    /// How long to wait at most.
    case wait

    /// The family of a name, without minuses; nil when it has none.
    init?(of name: String) {
        guard let family = OptionFamily.allCases.first(where: { $0.names.contains(name) }) else { return nil }
        self = family
    }

    /// The names.
    var names: [String] {
        switch self {
        case .begin: ["since", "from", "after", "begin", "start"]
        case .end: ["until", "to", "before", "till", "end"]
        case .duration: ["for", "duration", "seconds", "minutes", "hours", "days"]
        case .wait: ["timeout", "wait", "budget", "max-wait"]
        }
    }

    /// What its values are called: `--to <destination>` is no end of a period.
    private var values: [String] {
        switch self {
        case .begin, .end: ["time", "when"]
        case .duration, .wait: ["span"]
        }
    }

    /// The families that may be meant where a command has none of this one: how long a command waits is how long it runs.
    private var kin: [OptionFamily] {
        switch self {
        case .begin: []
        case .end: [.duration]
        case .duration: [.wait]
        case .wait: [.duration]
        }
    }

    /// The option of a command that belongs to this family, or else to one that is kin; nil when the command has none.
    func option(among options: [CommandOptions.Option]) -> CommandOptions.Option? {
        for family in [self] + kin {
            let own = options.first { option in
                family.names.contains { option.name == "--\($0)" } && option.value.map(family.values.contains) == true
            }
            if let own { return own }
        }
        return nil
    }
}
