import Waypost

/// The options of a source URL: each is read once, in any order.
struct SourceOptions {
    private let known: [String]
    private var values: [(name: String, value: String)]

    /// The options as written in the URL.
    ///
    /// - Parameter known: the supported names, for the message about unknown ones.
    init(_ values: [(name: String, value: String)], known: [String]) {
        self.values = values
        self.known = known
    }

    /// Removes and returns the option of that name; nil when it is not there.
    private mutating func take(_ name: String) throws(SourceURLError) -> String? {
        guard let index = values.firstIndex(where: { $0.name == name }) else { return nil }
        let value = values.remove(at: index).value
        if values.contains(where: { $0.name == name }) { throw .repeatedOption(name) }
        return value
    }

    /// Removes and returns a number in the usable range.
    private mutating func number(
        _ name: String, expected: String, isUsable: (Double) -> Bool
    ) throws(SourceURLError) -> Double? {
        guard let text = try take(name) else { return nil }
        guard let number = SourceOptions.plainNumber(text), isUsable(number) else {
            throw .badOption(name, value: text, expected: expected)
        }
        // Adding 0 turns "-0" into 0.
        return number + 0
    }

    /// Reads how many times faster than its own times a recording is played.
    mutating func playbackSpeed() throws(SourceURLError) -> Double? {
        try number("speed", expected: "0 (at once) or a number from 0.001 to 1000000", isUsable: ReplaySchedule.canPlay)
    }

    /// Reads the speed of a simulated drive, in metres per second.
    mutating func drivingSpeed() throws(SourceURLError) -> Double? {
        try number(
            "speed", expected: "a number of metres per second from 0.01 to 10000", isUsable: RouteSimulator.speedsMetresPerSecond.contains)
    }

    /// Reads the time between positions, in seconds.
    mutating func interval() throws(SourceURLError) -> Double? {
        let range = ReplaySchedule.intervals
        let seconds = range.lowerBound / .seconds(1)...range.upperBound / .seconds(1)
        return try number("interval", expected: "a number of seconds from 0.1 to 86400", isUsable: seconds.contains)
    }

    /// Reads the deviation of a simulated receiver's error, in metres.
    mutating func noise() throws(SourceURLError) -> Double? {
        try number("noise", expected: "a number of metres from 0 to 1000", isUsable: (0...1_000).contains)
    }

    /// Reads one of the given words.
    mutating func word<Value>(_ name: String, among words: [(word: String, value: Value)]) throws(SourceURLError) -> Value? {
        guard let text = try take(name) else { return nil }
        if let found = words.first(where: { $0.word == text }) { return found.value }
        let names = words.map(\.word)
        throw .badOption(name, value: text, expected: names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""))
    }

    /// Refuses options that were not read.
    func refuseUnknown() throws(SourceURLError) {
        if let option = values.first { throw .unknownOption(option.name, known: known) }
    }
}

extension SourceOptions {
    /// A finite decimal number; nil for `inf`, `nan` and hexadecimal numbers, which `Double` would accept.
    static func plainNumber(_ text: String) -> Double? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber || "+-.eE".contains($0) }), let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    /// The shortest text that reads back as the same number, whole ones without `.0`.
    static func numberText(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
