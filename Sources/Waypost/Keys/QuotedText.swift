/// Somebody's text in single quotes for a one-line message: control characters escaped, cut after 80 characters.
package func quoted(_ text: String) -> String {
    "'\(oneLine(text))'"
}
