import Waypost
import WaypostControl
import WaypostGeofences
import WaypostPositioning
import WaypostSystem

// What is asked about fences. While the position is withheld, what depends on it is left out: which fences are near, and how far.
extension PageRouter {
    /// So many fences have their shapes in one answer.
    static let shapeCount = 300
    /// So many are in an event of a stream.
    private static let nearCount = 20

    /// `/api/v1/fences?box=SOUTH,WEST,NORTH,EAST`: the nearest, or those in the box.
    func fences(_ request: BrowserRequest) async -> PageAnswer {
        let box: BoundingBox?
        do throws(PageOptionError) { box = try PageRouter.box(request) } catch { return .error(400, error.description) }
        let keeper = reporter.fences
        let total = await keeper.fenceCount
        let isWithheld = await reporter.source.withholding != nil
        var chosen: [Geofence]
        if let box {
            chosen = Array(await keeper.fences.lazy.filter { $0.shape.boundingBox.intersects(box) }.prefix(PageRouter.shapeCount))
        } else {
            chosen = isWithheld ? [] : await keeper.nearest(PageRouter.shapeCount).map(\.fence)
            // Before the first fix none is near.
            if chosen.isEmpty { chosen = Array(await keeper.fences.prefix(PageRouter.shapeCount)) }
        }
        let entries = await entries(chosen.map { ($0, nil) })
        let collection = FenceFormat.write(chosen, as: .geojson).text
        return .object("FENCES") { json in
            json.member("total", total)
            json.array("fences") { json in for entry in entries { entry.writeElement(to: &json) } }
            json.member("collection", json: collection.bytes)
        }
    }

    /// The nearest fences, as an event of a stream.
    func fencesEvent() async -> ServerSentEvent {
        let keeper = reporter.fences
        let total = await keeper.fenceCount
        let isWithheld = await reporter.source.withholding != nil
        let near = total == 0 || isWithheld ? [] : await keeper.nearest(PageRouter.nearCount)
        let entries = await entries(near.map { ($0.fence, $0.signedDistanceMetres) })
        let version = await keeper.changeCount
        let text = ControlProtocol.object("FENCES") { json in
            json.member("total", total)
            json.member("version", Int(version))
            json.array("fences") { json in for entry in entries { entry.writeElement(to: &json) } }
        }
        return ServerSentEvent(name: "fences", data: text)
    }

    private func entries(_ fences: [(fence: Geofence, distanceMetres: Double?)]) async -> [FenceEntry] {
        let keeper = reporter.fences
        let inside = await keeper.insideIDs(unlessWithheldBy: reporter.source).map(Set.init)
        let distances = inside == nil ? nil : await keeper.distances(to: fences.map(\.fence))
        let added = await keeper.addedIDs
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        return fences.enumerated().map { index, entry in
            FenceEntry(
                entry.fence, isAdded: added.contains(entry.fence.id), isInside: inside?.contains(entry.fence.id), now: now,
                distanceMetres: inside == nil ? nil : entry.distanceMetres ?? distances?[index])
        }
    }
}
