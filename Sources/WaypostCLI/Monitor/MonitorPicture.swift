import Waypost
import WaypostControl
import WaypostSystem

/// The whole screen of `waypost monitor`, as lines that fill it exactly.
struct MonitorPicture {
    private let state: MonitorState
    private let format: ScreenFormat
    private let now: Int64
    private let clock: UTCTime

    /// - Parameters:
    ///   - state: what is shown.
    ///   - format: units and time zone.
    ///   - now: the monotonic clock, milliseconds.
    ///   - clock: the time of day.
    init(_ state: MonitorState, _ format: ScreenFormat, at now: Int64, clock: UTCTime) {
        (self.state, self.format, self.now, self.clock) = (state, format, now, clock)
    }

    /// The lines; each has exactly that many cells, and there are exactly that many rows.
    func lines(columns: Int, rows: Int) -> [MonitorLine] {
        guard columns > 0, rows > 0 else { return [] }
        let problems = problemLines(columns: columns).prefix(max(0, min(4, rows / 6)))
        let body = rows - 1 - problems.count
        var lines = [head(columns: columns).fitted(to: columns, filling: .reversed)]
        lines += bodyLines(columns: columns, rows: body)
        lines += problems
        return lines
    }

    /// As many columns as have room for their panels side by side.
    private func bodyLines(columns: Int, rows: Int) -> [MonitorLine] {
        guard rows > 0 else { return [] }
        let count = columns < 70 ? 1 : columns < 110 ? 2 : 3
        let gap = 2
        let room = columns - gap * (count - 1)
        let panels = MonitorPanels(state, format, at: now, today: clock, columns: room / count)
        let stacks: [[MonitorPanel]] =
            switch count {
            case 1: [[panels.fix, panels.fences, panels.events, panels.queue, panels.sky, panels.log]]
            case 2: [[panels.fix, panels.sky], [panels.fences, panels.events, panels.queue, panels.log]]
            default: [[panels.fix, panels.queue, panels.log], [panels.sky], [panels.fences, panels.events]]
            }
        let pictures = stacks.enumerated().map { index, stack in
            // What the division leaves over is the last column's.
            let width = index == count - 1 ? room - room / count * index : room / count
            return MonitorColumn(stack).picture(columns: width, rows: rows)
        }
        return (0..<rows).map { row in
            var line = MonitorLine()
            for (index, picture) in pictures.enumerated() {
                if index > 0 { line.append(String(repeating: " ", count: gap)) }
                line.append(picture[row])
            }
            return line
        }
    }

    /// The first row: the state in a word each, and the time of day.
    ///
    /// A narrow one has no name of the program.
    private func head(columns: Int) -> MonitorLine {
        let whole = head(named: " waypost \(state.status?.version ?? "")   ")
        return whole.width <= columns ? whole : head(named: " ")
    }

    private func head(named name: String) -> MonitorLine {
        var line = MonitorLine(name, [.reversed, .bold])
        let silence = (now - state.heardAt) / 1_000
        if silence >= 5 {
            line.append("the tracker has not answered for \(spanText(seconds: silence))", [.reversed, .bold])
        } else if let health = state.status?.health {
            line.append("\(health.text)", health == .healthy ? .reversed : [.reversed, .bold])
        }
        line.append("   \(format.timeOfDay(clock).prefix(8))", .reversed)
        line.append("   q quit   u units", .reversed)
        return line
    }

    private func problemLines(columns: Int) -> [MonitorLine] {
        let problems = (state.status?.problems ?? []).filter { problem in
            // The panel of the fix says why there is no position.
            problem != state.status?.search.map { "no position: \($0.why)" }
        }
        return problems.map { MonitorLine("! \($0)", [.bold, .red]).fitted(to: columns) }
    }
}
