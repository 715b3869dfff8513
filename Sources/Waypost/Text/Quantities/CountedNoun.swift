/// A number with its noun, in the plural unless the number is 1: `1 segment`, `2 segments`, `3 fixes`, `0 entries`.
///
/// Regular plurals only.
package func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(number == 1 ? noun : plural(noun))"
}

private func plural(_ noun: String) -> String {
    if ["s", "x", "ch", "sh"].contains(where: noun.hasSuffix) { return noun + "es" }
    guard noun.last == "y", let before = noun.dropLast().last, !"aeiou".contains(before) else { return noun + "s" }
    return noun.dropLast() + "ies"
}
