/// A number with its noun, in the plural unless there is one: `1 segment`, `2 segments`.
public func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}
