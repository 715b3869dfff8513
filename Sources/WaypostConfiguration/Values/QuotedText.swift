import Waypost

/// Somebody's text in single quotes for a one-line message: control characters escaped, cut after 80 characters.
func quoted(_ text: String) -> String {
    "'\(oneLine(text))'"
}
