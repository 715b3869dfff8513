import Waypost

/// Fences of the running tracker, one line each.
struct FenceTable {
    /// The format for people; nil for lines of JSON.
    private let format: ScreenFormat?
    private var table: TextTable

    init(_ format: ScreenFormat?, screenColumns: Int?) {
        self.format = format
        table = TextTable(
            [
                .init(title: "fence", isCut: true), .init(title: "id", isOptional: true, isCut: true), .init(title: "shape"),
                .init(title: "place"), .init(title: "device", isTrailing: true), .init(title: "remarks"),
            ], screenColumns: screenColumns)
    }

    /// The lines of some of them.
    mutating func lines(_ fences: [JSONValue]) -> [String] {
        if let format { return table.lines(fences.map { FenceTable.cells($0, format) }) }
        return fences.map { fence in
            var text = TextBuffer()
            text.appendJSON { json in json.element(fence) }
            return text.string
        }
    }

    private static func cells(_ fence: JSONValue, _ format: ScreenFormat) -> [String] {
        let name = fence["name"]?.string ?? "?"
        let id = fence["id"]?.string ?? name
        var remarks: [String] = []
        if let dwell = fence["dwell_seconds"]?.double { remarks.append("dwell \(spanText(.milliseconds(Int64(dwell * 1_000))))") }
        if let expires = fence["expires"]?.string {
            remarks.append("\(fence["expired"]?.bool == true ? "expired" : "expires") \(format.moment(expires).prefix(16))")
        }
        if fence["added"]?.bool == true { remarks.append("added") }
        return [name, id == name ? "" : id, shape(fence, format), place(fence), side(fence, format), remarks.joined(separator: ", ")]
    }

    private static func shape(_ fence: JSONValue, _ format: ScreenFormat) -> String {
        switch fence["shape"]?.string {
        case "circle": "circle \(format.units.distance(fence["radius"]?.double ?? 0))"
        case "corridor": "corridor \(format.units.distance(fence["width"]?.double ?? 0))"
        case let other?: other
        case nil: "?"
        }
    }

    /// The place, to the metre.
    private static func place(_ fence: JSONValue) -> String {
        guard let latitude = fence["lat"]?.double, let longitude = fence["lon"]?.double else { return "" }
        var text = TextBuffer(capacity: 32)
        text.append(abs(latitude), decimals: 5)
        text.append(latitude < 0 ? " S " : " N ")
        text.append(abs(longitude), decimals: 5)
        text.append(longitude < 0 ? " W" : " E")
        return text.string
    }

    /// Where the device is: `inside, 12 m` from its border, `1.2 km` away.
    private static func side(_ fence: JSONValue, _ format: ScreenFormat) -> String {
        let distance = fence["distance"]?.double.map { format.units.distance(abs($0)) }
        return fence["inside"]?.bool == true ? ["inside", distance].compactMap { $0 }.joined(separator: ", ") : distance ?? ""
    }
}
