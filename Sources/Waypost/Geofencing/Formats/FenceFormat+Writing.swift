extension FenceFormat {
    /// Writes fences as a file of a format.
    ///
    /// Nothing is lost silently: each fence is read back from what was written, and every difference is a remark; a fence that the format cannot
    /// express is left out with an error. ``FenceFormat/geojson`` keeps everything, KML everything but white space around names.
    ///
    /// - Parameters:
    ///   - fences: the fences to write, in this order.
    ///   - format: the file format.
    ///   - now: the time from which Tealium's periods count; without it, expiries are lost there, with a remark.
    /// - Cost: about that of writing and reading once; memory for the file.
    public static func write(_ fences: [Geofence], as format: FenceFormat, now: UTCTime? = nil) -> FenceExport {
        var export = FenceExport()
        var stamps = OwnTracksStamps()
        var written: Set<String> = []
        var entry = TextBuffer()
        format.begin(&export.text)
        for (index, fence) in fences.enumerated() {
            func remark(_ problem: FenceRemark.Problem) {
                export.remarks.append(FenceRemark(index: index, name: fence.name, problem: problem))
            }
            entry.removeAll()
            do throws(FenceRefusal) {
                switch format {
                case .geojson: entry.appendJSON { GeoJSONFences.write(fence, into: &$0) }
                case .tealium:
                    try entry.tryAppendJSON { (json) throws(FenceRefusal) in try TealiumFences.write(fence, now: now, into: &json) }
                case .owntracks:
                    let stamp = stamps.stamp(of: fence.id)
                    try entry.tryAppendJSON { (json) throws(FenceRefusal) in try OwnTracksFences.write(fence, stamp: stamp, into: &json) }
                case .traccar: try entry.tryAppendJSON { (json) throws(FenceRefusal) in try TraccarFences.write(fence, into: &json) }
                case .kml: KMLFences.write(fence, into: &entry)
                }
                let back = try format.readBack(entry, now: now)
                guard written.insert(back.id).inserted else {
                    throw FenceRefusal("another fence has its id already, as the format keeps it")
                }
                for loss in FenceFormat.losses(fence, back, hasNow: now != nil) { remark(.notKept(loss)) }
                if export.count > 0 { export.text.append(string: format.separator) }
                export.text.append(contentsOf: entry.bytes)
                export.count += 1
            } catch {
                remark(.notExpressible(error.words))
            }
        }
        format.end(&export.text)
        return export
    }

    // MARK: The frame of a file

    private func begin(_ text: inout TextBuffer) {
        switch self {
        case .geojson: text.append("{\"type\":\"FeatureCollection\",\"features\":[\n")
        case .tealium, .traccar: text.append("[\n")
        case .owntracks: text.append("{\"_type\":\"waypoints\",\"_creator\":\"waypost\",\"waypoints\":[\n")
        case .kml:
            text.append(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <kml xmlns="http://www.opengis.net/kml/2.2">
                <Document>\n
                """)
        }
    }

    private func end(_ text: inout TextBuffer) {
        switch self {
        case .geojson, .owntracks: text.append("\n]}\n")
        case .tealium, .traccar: text.append("\n]\n")
        case .kml: text.append("\n</Document>\n</kml>\n")
        }
    }

    private var separator: String { self == .kml ? "\n" : ",\n" }

    // MARK: What is lost

    /// The fence that the format's reader finds in an entry.
    private func readBack(_ entry: TextBuffer, now: UTCTime?) throws(FenceRefusal) -> Geofence {
        var whole = TextBuffer(capacity: entry.count + 128)
        begin(&whole)
        whole.append(contentsOf: entry.bytes)
        end(&whole)
        let bytes = whole.bytes
        let file: FenceFile
        do throws(FenceFileError) {
            let reading = FenceReading(now: now, limits: FenceFileLimits(bytes: .max, entries: 1, corners: .max))
            file = try self == .kml ? KMLFences.read(bytes, reading) : FenceFormat.readJSON(bytes, reading)
        } catch {
            throw FenceRefusal("what was written cannot be read: \(error)")
        }
        guard let fence = file.fences.first else {
            throw FenceRefusal(file.remarks.first.map { "what was written is not a fence: \($0.problem)" } ?? "nothing was written")
        }
        return fence
    }

    /// The differences of a fence that was read back, in words.
    private static func losses(_ fence: Geofence, _ back: Geofence, hasNow: Bool) -> [String] {
        var losses: [String] = []
        if back.id != fence.id { losses.append("the id \(quoted(fence.id, mark: "\"")) becomes \(quoted(back.id, mark: "\""))") }
        if back.name != fence.name { losses.append("the name becomes \(quoted(back.name, mark: "\""))") }
        if back.shape != fence.shape {
            if case .circle(let was) = fence.shape, case .circle(let circle) = back.shape, was.centre == circle.centre {
                losses.append("the radius of \(was.radiusMetres) m becomes \(circle.radiusMetres) m")
            } else {
                losses.append("the area is not quite the same")
            }
        }
        if back.dwellSeconds != fence.dwellSeconds {
            losses.append(back.dwellSeconds.map { "the dwell becomes \($0) s" } ?? "the dwell of \(fence.dwellSeconds ?? 0) s is lost")
        }
        if back.expires != fence.expires {
            losses.append(back.expires == nil && !hasNow ? "the expiry is lost" : "the expiry becomes another")
        }
        if back.notifications != fence.notifications {
            losses.append("what it tells (\(words(fence.notifications))) becomes \(words(back.notifications))")
        }
        return losses
    }

    private static func words(_ notifications: FenceNotifications) -> String {
        notifications.isEmpty ? "nothing" : notifications.words.joined(separator: ", ")
    }
}

/// A file of fences that was written, and what it lacks.
public struct FenceExport: Sendable {
    /// The file.
    public internal(set) var text = TextBuffer()
    /// What the format does not keep, fence by fence; the index is that of the fence passed in.
    ///
    /// An error means that the fence was left out, a warning that part of it was lost.
    public internal(set) var remarks: [FenceRemark] = []
    /// How many fences the file contains.
    public internal(set) var count = 0

    /// Whether any fence was left out.
    public var hasDropped: Bool { remarks.contains { $0.isDropped } }
}

extension Geofence {
    /// The seconds of a dwell, unless they are not a number.
    var finiteDwellSeconds: Double? { dwellSeconds.flatMap { $0.isFinite ? $0 : nil } }
}

/// Why a format cannot express a fence.
struct FenceRefusal: Error {
    var words: String

    init(_ words: String) {
        self.words = words
    }
}

extension TextBuffer {
    /// Appends what the closure writes as JSON; if it throws, the text is unchanged.
    fileprivate mutating func tryAppendJSON(_ write: (inout JSONWriter) throws(FenceRefusal) -> Void) throws(FenceRefusal) {
        let start = count
        var refusal: FenceRefusal?
        appendJSON { json in
            do throws(FenceRefusal) { try write(&json) } catch { refusal = error }
        }
        guard let refusal else { return }
        truncate(to: start)
        throw refusal
    }
}
