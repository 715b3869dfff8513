import Waypost
import WaypostSystem

/// A line of the monitor's picture: pieces of text that look differently.
struct MonitorLine: Equatable {
    /// A piece of a line.
    struct Piece: Equatable {
        var text: String
        var style: FullScreen.Style
    }

    private(set) var pieces: [Piece] = []
    /// How many cells of the screen it takes.
    private(set) var width = 0

    /// An empty line.
    init() {}

    /// A line of one piece; text of others is made harmless here.
    init(_ text: String, _ style: FullScreen.Style = []) {
        append(text, style)
    }

    /// The line as plain text.
    var text: String { pieces.map(\.text).joined() }

    /// Adds a piece.
    mutating func append(_ text: String, _ style: FullScreen.Style = []) {
        let text = printable(text)
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, style: style))
        width += displayWidth(text)
    }

    /// Adds the pieces of another line.
    mutating func append(_ other: MonitorLine) {
        pieces += other.pieces
        width += other.width
    }

    /// The line in exactly this many cells: cut, with an ellipsis, or filled with blanks.
    func fitted(to columns: Int, filling style: FullScreen.Style = []) -> MonitorLine {
        var line = width > columns ? cut(to: columns) : self
        line.append(String(repeating: " ", count: max(0, columns - line.width)), style)
        return line
    }

    private func cut(to columns: Int) -> MonitorLine {
        var line = MonitorLine()
        for piece in pieces {
            var text = ""
            var width = 0
            for character in piece.text {
                let next = displayWidth(String(character))
                // The last cell is the ellipsis's.
                if line.width + width + next > columns - 1 {
                    line.append(text + (columns > 0 ? "…" : ""), piece.style)
                    return line
                }
                text.append(character)
                width += next
            }
            line.append(text, piece.style)
        }
        return line
    }
}
