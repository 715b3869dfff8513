/// Somebody's text in quotes for a one-line message: control characters escaped, cut after 80 characters.
///
/// - Parameters:
///   - text: what somebody else has written.
///   - mark: the quotes; names out of files of fences have `"`.
package func quoted(_ text: String, mark: Character = "'") -> String {
    "\(mark)\(oneLine(text))\(mark)"
}
