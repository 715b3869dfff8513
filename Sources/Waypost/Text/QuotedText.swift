/// A foreign text in quotes for a one-line message: control characters escaped, cut after 80 characters.
///
/// - Parameters:
///   - text: a text from outside.
///   - mark: the quotation mark; names from fence files get `"`.
package func quoted(_ text: String, mark: Character = "'") -> String {
    "\(mark)\(oneLine(text))\(mark)"
}
