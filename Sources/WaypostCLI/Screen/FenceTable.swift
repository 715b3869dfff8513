import Waypost
import WaypostControl

/// Fences of the running tracker, one line each.
struct FenceTable {
    /// The format for people; nil for lines of JSON.
    private let format: ScreenFormat?
    private var table: TextTable

    init(_ format: ScreenFormat?, screenColumns: Int?) {
        self.format = format
        table = TextTable(
            [
                .init(title: "fence", isCut: true, mostWidth: 40), .init(title: "id", isCut: true, mostWidth: 40), .init(title: "shape"),
                .init(title: "place", isOptional: true, isFirstLeftOut: true),
                .init(title: "device", isTrailing: true, isOptional: true), .init(title: "remarks", isOptional: true),
            ], screenColumns: screenColumns)
    }

    /// The lines of some of them.
    mutating func lines(_ fences: [FenceEntry]) -> [String] {
        if let format { return table.lines(fences.map { FenceTable.cells($0, format) }) }
        return fences.map(jsonText)
    }

    private static func cells(_ fence: FenceEntry, _ format: ScreenFormat) -> [String] {
        var remarks: [String] = []
        if let dwell = fence.dwellSeconds { remarks.append("dwell \(spanText(.seconds(min(max(dwell, 0), 1e15))))") }
        if let expires = fence.expires {
            remarks.append("\(fence.isExpired ? "expired" : "expires") \(format.moment(expires).prefix(16))")
        }
        if fence.isAdded { remarks.append("added") }
        return [
            visible(fence.name), fence.id == fence.name ? "" : visible(fence.id), shape(fence, format), place(fence),
            side(fence, format), remarks.joined(separator: ", "),
        ]
    }

    /// A name with its marks where it begins or ends with a space, which nobody would see.
    private static func visible(_ name: String) -> String { name.first == " " || name.last == " " ? quoted(name) : name }

    /// A fence in words: `circle 150 m at 52.51702 N 13.38886 E, dwell 5 min`; the name is left out where it is the id.
    static func words(_ fence: FenceEntry, _ format: ScreenFormat) -> String {
        let cells = cells(fence, format)
        let name = cells[1].isEmpty ? [] : [quoted(fence.name)]
        let dwell = fence.dwellSeconds.map { ["dwell \(spanText(.seconds(min(max($0, 0), 1e15))))"] } ?? []
        let expires = fence.expires.map { ["expires \(format.moment($0).prefix(16))"] } ?? []
        return (name + ["\(cells[2]) at \(cells[3])"] + dwell + expires).joined(separator: ", ")
    }

    private static func shape(_ fence: FenceEntry, _ format: ScreenFormat) -> String {
        switch fence.shape {
        case .circle: "circle \(format.units.distance(fence.radiusMetres ?? 0))"
        case .corridor: "corridor \(format.units.distance(fence.widthMetres ?? 0))"
        default: fence.shape.text
        }
    }

    /// The place, to the metre.
    private static func place(_ fence: FenceEntry) -> String {
        let (latitude, longitude) = (fence.latitudeDegrees, fence.longitudeDegrees)
        var text = TextBuffer(capacity: 32)
        text.append(abs(latitude), decimals: 5)
        text.append(latitude < 0 ? " S " : " N ")
        text.append(abs(longitude), decimals: 5)
        text.append(longitude < 0 ? " W" : " E")
        return text.string
    }

    /// Where the device is: `inside, 12 m` from its border, `1.2 km away`.
    static func side(_ fence: FenceEntry, _ format: ScreenFormat) -> String {
        let distance = fence.distanceMetres.map { format.units.distance(abs($0)) }
        return fence.isInside == true
            ? ["inside", distance].compactMap { $0 }.joined(separator: ", ") : distance.map { "\($0) away" } ?? ""
    }
}
