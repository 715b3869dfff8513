import ArgumentParser

/// The pieces of a sentence between which a line may end: words, and whole commands, which people copy.
///
/// A command begins with `sudo`, `chmod`, or `waypost` before one of its commands; it ends at a punctuation mark, or with its last argument.
func unbreakablePieces(_ line: String) -> [String] {
    var pieces: [String] = []
    var words = line.split(separator: " ", omittingEmptySubsequences: false)[...]
    while !words.isEmpty {
        let count = max(1, commandWordCount(words))
        pieces.append(words.prefix(count).joined(separator: " "))
        words = words.dropFirst(count)
    }
    return pieces
}

/// How many of the words form a command at their beginning; 0 when there is none.
private func commandWordCount(_ words: ArraySlice<Substring>) -> Int {
    guard let first = words.first?.drop(while: { $0 == "(" }) else { return 0 }
    let second = words.dropFirst().first ?? ""
    switch first {
    case "sudo" where second == "waypost": return 1 + waypostWordCount(words.dropFirst())
    case "sudo", "chmod": return untilPunctuation(words)
    case "waypost": return waypostWordCount(words)
    default: return 0
    }
}

/// `waypost`, its commands, and options with their values.
private func waypostWordCount(_ words: ArraySlice<Substring>) -> Int {
    var command: any ParsableCommand.Type = WaypostCLI.self
    var count = 1
    for word in words.dropFirst() {
        let name = word.filter { !",;:)".contains($0) }
        guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else { break }
        (command, count) = (next, count + 1)
        if word.count > name.count { return count }
    }
    if count == 1 { return 0 }
    while let option = words.dropFirst(count).first, option.hasPrefix("--") {
        count += words.dropFirst(count + 1).isEmpty ? 1 : 2
        if words.dropFirst(count - 1).first?.last.map({ ",;:)".contains($0) }) == true { break }
    }
    return count
}

private func untilPunctuation(_ words: ArraySlice<Substring>) -> Int {
    words.firstIndex { $0.last.map { ",;:)".contains($0) } ?? false }.map { $0 - words.startIndex + 1 } ?? words.count
}
