/// The borders of many fences in small pieces, near together in memory what is near on the Earth: what a ``BorderWindow`` is filled from.
///
/// - Cost: 25 bytes a group of edges, 49 a circle; building takes a sort.
struct BorderPieces: Sendable {
    /// A circle: its centre in the geocentric frame, and the chords between which its border lies.
    struct Circle: Sendable {
        let centre: GeocentricVector
        let least: Float
        let most: Float
        let slot: Int32
    }

    let edges: BorderItems<EdgePiece>
    let circles: BorderItems<Circle>
    /// Fences whose borders are not cut: corridors, circles too large for chords, and polygons of which ``EdgePiece/areCut(from:)`` says no.
    let wholes: BorderItems<Int32>

    /// The borders of the fences in those slots.
    init(_ slots: [Int32], _ figures: [FenceFigure], box: (Int32) -> BoundingBox) {
        var edges: (items: [EdgePiece], boxes: [AngleBox]) = ([], [])
        var circles: (items: [Circle], boxes: [AngleBox]) = ([], [])
        var wholes: (items: [Int32], boxes: [AngleBox]) = ([], [])
        let edgeCount = slots.reduce(0) { $0 + figures[Int($1)].groupCount }
        edges.items.reserveCapacity(edgeCount)
        edges.boxes.reserveCapacity(edgeCount)
        for slot in slots {
            let figure = figures[Int(slot)]
            if figure.kind == .polygons, let table = figure.edges, EdgePiece.areCut(from: table) {
                for group in 0..<table.groupCount {
                    let box = table.box(group)
                    edges.items.append(EdgePiece(slot, table, group))
                    edges.boxes.append(AngleBox(west: box.x, south: box.y, east: box.z, north: box.w))
                }
                continue
            }
            let bounds = box(slot)
            let box = AngleBox(
                west: bounds.westDegrees, south: bounds.southDegrees, east: bounds.westDegrees + bounds.widthDegrees,
                north: bounds.northDegrees)
            if figure.kind == .circle, let chords = figure.chords {
                circles.items.append(
                    Circle(centre: figure.centre, least: Float(chords.least).nextDown, most: Float(chords.most).nextUp, slot: slot))
                circles.boxes.append(box)
            } else if figure.kind != .nothing {
                wholes.items.append(slot)
                wholes.boxes.append(box)
            }
        }
        self.edges = BorderItems(edges.items, edges.boxes)
        self.circles = BorderItems(circles.items, circles.boxes)
        self.wholes = BorderItems(wholes.items, wholes.boxes)
    }
}
