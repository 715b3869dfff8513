import WaypostSystem

/// A part of the monitor's picture: a title, and lines below it, the most important first.
struct MonitorPanel {
    /// The title, at the left.
    var title: String
    /// A few words at the right of the title.
    var note = MonitorLine()
    /// The lines.
    var lines: [MonitorLine]
    /// How many lines it wants to keep when there is not room for everything.
    var leastLineCount: Int

    init(_ title: String, note: MonitorLine = MonitorLine(), _ lines: [MonitorLine], least: Int) {
        (self.title, self.note, self.lines) = (title, note, lines)
        leastLineCount = min(least, lines.count)
    }

    /// The panel in exactly this many cells; what does not fit is counted in its last line.
    func picture(columns: Int, rows: Int) -> [MonitorLine] {
        guard rows > 0 else { return [] }
        var head = MonitorLine(title, [.bold, .cyan])
        let room = columns - head.width - note.width
        if note.width > 0, room > 0 {
            head.append(String(repeating: " ", count: room))
            head.append(note)
        }
        var shown = Array(lines.prefix(rows - 1))
        if shown.count < lines.count, !shown.isEmpty {
            shown[shown.count - 1] = MonitorLine("… and \(lines.count - shown.count + 1) more", .dim)
        }
        let picture = ([head] + shown).map { $0.fitted(to: columns) }
        return picture + Array(repeating: MonitorLine().fitted(to: columns), count: rows - picture.count)
    }
}

/// Panels below each other that share the rows of a column.
struct MonitorColumn {
    let panels: [MonitorPanel]

    init(_ panels: [MonitorPanel]) {
        self.panels = panels
    }

    /// The column in exactly this many cells; panels for which no row is left are missing, the last first.
    func picture(columns: Int, rows: Int) -> [MonitorLine] {
        let blank = MonitorLine().fitted(to: columns)
        var heights: [Int] = []
        var left = rows
        for panel in panels {
            // A title, the lines it must have, and an empty row before it.
            let height = 1 + panel.leastLineCount
            let gap = heights.isEmpty ? 0 : 1
            guard left >= min(height, 2) + gap else { break }
            heights.append(min(height, left - gap))
            left -= heights[heights.count - 1] + gap
        }
        // What is left goes to those who have more to show, a row each in turn.
        var isGiven = true
        while left > 0, isGiven {
            isGiven = false
            for index in heights.indices where left > 0 && heights[index] < 1 + panels[index].lines.count {
                heights[index] += 1
                left -= 1
                isGiven = true
            }
        }
        var picture: [MonitorLine] = []
        for (panel, height) in zip(panels, heights) {
            if !picture.isEmpty { picture.append(blank) }
            picture += panel.picture(columns: columns, rows: height)
        }
        return picture + Array(repeating: blank, count: rows - picture.count)
    }
}
