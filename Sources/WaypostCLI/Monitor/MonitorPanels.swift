import Waypost
import WaypostControl
import WaypostSystem

/// The panels of the monitor: fix, sky, fences, events, queue and log.
struct MonitorPanels {
    private let state: MonitorState
    private let format: ScreenFormat
    private let now: Int64
    private let today: UTCTime
    private let columns: Int

    /// - Parameters:
    ///   - state: what is shown.
    ///   - format: units and time zone.
    ///   - now: the monotonic clock, milliseconds.
    ///   - today: the time of day; what happened on another day is shown with it.
    ///   - columns: how wide the panels are; sentences are wrapped to that.
    init(_ state: MonitorState, _ format: ScreenFormat, at now: Int64, today: UTCTime, columns: Int) {
        (self.state, self.format, self.now, self.today, self.columns) = (state, format, now, today, columns)
    }

    /// A sentence in as many lines as it needs.
    private func sentence(_ text: String, _ style: FullScreen.Style = []) -> [MonitorLine] {
        wrapped(printable(text), columns: columns, indent: 2).map { MonitorLine($0, style) }
    }

    /// What stands in a panel without lines: that there is nothing, or that this user may not know what there is.
    private func unknown(or none: String) -> [MonitorLine] {
        [MonitorLine(state.isRough ? "may not be known to you" : none, .dim)]
    }

    // MARK: - Fix

    /// The position, or why there is none and what to do.
    var fix: MonitorPanel {
        let source = state.status?.source.map { MonitorLine($0.url, .dim) } ?? MonitorLine()
        if let privacy = state.status?.privacy, privacy.isPrivate || privacy.isWithheld {
            let words = privacy.isPrivate ? "private mode is on" : "inside a privacy zone"
            return MonitorPanel("FIX", note: source, [MonitorLine(words, [.bold, .yellow])], least: 1)
        }
        if let (position, at) = state.position {
            let words = PositionLine(position, format).words
            var lines = sentence(words[0], [.bold, .green]) + sentence(words[1])
            lines.append(MonitorLine([position.time.map { "at \(format.moment($0))" }, age(at)].compactMap { $0 }.joined(separator: ", ")))
            lines += roadLines + followingLines
            return MonitorPanel("FIX", note: source, lines, least: 3)
        }
        return MonitorPanel("FIX", note: source, missingLines, least: 3)
    }

    private func age(_ at: Int64) -> String? {
        let seconds = (now - at) / 1_000
        return seconds < 2 ? nil : "\(spanText(seconds: seconds)) ago"
    }

    /// The road that the device is on, while positions are put on roads.
    private var roadLines: [MonitorLine] {
        guard let match = state.match else { return [] }
        return sentence(RoadWords(match, format.units).text, match.isConfident ? [] : .dim)
    }

    private var followingLines: [MonitorLine] {
        guard let following = state.status?.following else { return [] }
        var words: [String] = []
        if following.pace == .asleep { words.append("asleep, the receiver wakes in \(spanText(seconds: following.asleepSeconds ?? 0))") }
        if following.isStationary { words.append("at rest") }
        if let speed = following.averageSpeedMetresPerSecond { words.append("on average \(format.units.speed(speed))") }
        return words.isEmpty ? [] : [MonitorLine(words.joined(separator: ", "), .dim)]
    }

    private var missingLines: [MonitorLine] {
        var lines: [MonitorLine] = []
        let last = state.loss?.value
        let place =
            LastPlace(last?.lastPosition, ageSeconds: last?.lastPositionAgeSeconds.map { $0 + sinceLoss }, format)
            ?? LastPlace(state.status?.lastPosition, ageSeconds: state.status?.lastPositionAgeSeconds, format)
        if let search = state.status.flatMap(SearchWords.init) {
            lines.append(MonitorLine("no position for \(spanText(seconds: search.seconds))", [.bold, .red]))
            lines += search.tried.flatMap { sentence("\($0.source): \($0.found)") }
            if let place { lines += sentence(place.words) }
            lines += sentence("next: \(search.next)")
            lines += search.commands.flatMap { sentence("  \($0)", .bold) }
        } else {
            let why = last?.detail ?? (state.isRough ? "none that may be known to you yet" : "waiting for the tracker")
            lines += sentence("no position: \(why)", [.bold, .red])
            if let place { lines += sentence(place.words) }
        }
        return lines
    }

    private var sinceLoss: Int { state.loss.map { Int((now - $0.at) / 1_000) } ?? 0 }

    // MARK: - Sky

    /// The satellites, the used and the strong ones first, each with a bar for its signal.
    var sky: MonitorPanel {
        guard let view = state.sky, !view.satellites.isEmpty else {
            return MonitorPanel("SKY", unknown(or: "no satellites reported"), least: 1)
        }
        let used = view.satellites.count(where: \.isUsed)
        let sorted = view.satellites.sorted { first, second in
            if first.isUsed != second.isUsed { return first.isUsed }
            return (first.signalDecibelHertz ?? -1) > (second.signalDecibelHertz ?? -1)
        }
        return MonitorPanel(
            "SKY", note: MonitorLine("\(used) used of \(view.satellites.count)", .dim), sorted.map(MonitorPanels.line), least: 4)
    }

    /// A satellite: `E 12  43 dBHz ████████  71° 123°`.
    private static func line(_ satellite: SatelliteView) -> MonitorLine {
        let style: FullScreen.Style = satellite.isUsed ? .green : .dim
        var line = MonitorLine("\(letter(satellite.constellation))\(padded(satellite.number, 4))  ", satellite.isUsed ? .bold : .dim)
        let signal = satellite.signalDecibelHertz.map { Int($0.rounded()) }
        line.append("\(signal.map { padded($0, 2) } ?? " -")  ", style)
        // A cell for each 5 dB-Hz; signals in the open reach 50.
        let cells = max(0, min(10, (signal ?? 0) / 5))
        line.append(String(repeating: "█", count: cells) + String(repeating: "·", count: 10 - cells), style)
        if let elevation = satellite.elevationDegrees, let azimuth = satellite.azimuthDegrees {
            line.append("  \(padded(Int(elevation.rounded()), 3))\u{B0} \(padded(Int(azimuth.rounded()), 3))\u{B0}", .dim)
        }
        return line
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// The letter of a system.
    ///
    /// - Source: RINEX 3.05, table 4: observation codes' system identifiers.
    private static func letter(_ constellation: Constellation) -> String {
        switch constellation {
        case .gps: "G"
        case .glonass: "R"
        case .galileo: "E"
        case .beidou: "C"
        case .qzss: "J"
        case .navic: "I"
        case .sbas: "S"
        case .unknown: "?"
        }
    }

    // MARK: - Fences and events

    /// The fences by distance.
    var fences: MonitorPanel {
        let count = state.status?.fences?.count ?? 0
        guard count > 0 else { return MonitorPanel("FENCES", unknown(or: "none"), least: 1) }
        let lines = state.fences.map { fence in
            let isInside = fence.isInside == true
            var line = MonitorLine(isInside ? "● " : "○ ", isInside ? .green : .dim)
            // Its side first: a long name is what may be cut off.
            line.append("\(FenceTable.side(fence, format))  ", .dim)
            line.append(fence.name, isInside ? .bold : [])
            return line
        }
        let empty = [MonitorLine("no distances without a position", .dim)]
        return MonitorPanel("FENCES", note: MonitorLine(counted(count, "fence"), .dim), lines.isEmpty ? empty : lines, least: 3)
    }

    /// The events, newest first.
    var events: MonitorPanel {
        let lines = state.events.map { event in
            var line = MonitorLine("\(event.time.map(moment) ?? "-")  ", .dim)
            line.append("\(event.kind) ", .bold)
            line.append(event.name)
            if event.payload?.isLate == true { line.append(", late", .dim) }
            return line
        }
        return MonitorPanel("EVENTS", lines.isEmpty ? unknown(or: "none yet") : lines, least: 3)
    }

    /// A moment to the second, with the day unless it is today's.
    private func moment(_ time: UTCTime) -> String {
        let second = String(format.timeOfDay(time).prefix("15:25:00".count))
        return format.day(time) == format.day(today) ? second : "\(format.day(time)) \(second)"
    }

    // MARK: - Queue and log

    /// The destinations, a line each.
    var queue: MonitorPanel {
        let destinations = state.status?.destinations ?? []
        let lines = destinations.flatMap { destination in
            var line = MonitorLine("\(destination.name)  ", .bold)
            line.append(MonitorPanels.figures(of: destination))
            var lines = [line]
            let next =
                destination.sendingSeconds.map { "sending for \(spanText(seconds: $0))" }
                ?? destination.nextSeconds.map { "next in \(spanText(seconds: $0))" }
            if let next {
                // A number that is cut off looks like another.
                let isFitting = line.width + 2 + displayWidth(next) <= columns
                if isFitting { lines[0].append(", \(next)") } else { lines.append(MonitorLine("  \(next)")) }
            }
            if [.idle, .waiting, .sending].contains(destination.state) { return lines }
            let problem = [destination.state.text, destination.reason].compactMap { $0 }.joined(separator: ": ")
            return lines + sentence("  \(problem)", [.bold, .yellow])
        }
        return MonitorPanel("SENDING", lines.isEmpty ? unknown(or: "no destinations") : lines, least: 2)
    }

    private static func figures(of destination: DestinationReport) -> String {
        let waiting = destination.positionCount.map { "\(destination.eventCount &+ $0)" } ?? "?"
        return "\(waiting) waiting, \(destination.sentCount) sent"
    }

    /// The log's folder and figures.
    var log: MonitorPanel {
        guard let log = state.status?.log else { return MonitorPanel("LOG", unknown(or: "-"), least: 1) }
        if log.isOff { return MonitorPanel("LOG", [MonitorLine("off", .dim)], least: 1) }
        let privacy = state.status?.privacy
        let note =
            privacy?.isWithheld == true
            ? MonitorLine(privacy?.isPrivate == true ? "nothing in private mode" : "nothing in a privacy zone", .yellow)
            : log.isRecording ? MonitorLine("recording", .green) : MonitorLine("paused", [.bold, .red])
        let counts = "this run recorded \(counted(log.positionCount, "position"))"
        let place = "\(sizeText(bytes: log.byteCount)) in \(log.directory)"
        return MonitorPanel("LOG", note: note, [MonitorLine(counts), MonitorLine(place, .dim)], least: 1)
    }
}
