import Logging
import Waypost
import WaypostControl
import WaypostGeofences
import WaypostPositioning
import WaypostSystem

// What is asked about fences.
extension TrackerCommands {
    /// So many fences are in one answer, with their shapes and without.
    private static let fencesWithShapes = 200
    private static let fencesWithoutShapes = 5_000
    /// So many fences are shown as active.
    private static let activeFences = 20

    func listFences(from start: Int, withShapes: Bool) async -> [UInt8] {
        await fences.reload()
        let all = await fences.keeper.fences
        let added = await fences.keeper.addedIDs
        let inside = await fences.keeper.insideIDs(unlessWithheldBy: source).map(Set.init)
        let start = min(start, all.count)
        let rest = all.dropFirst(start)
        var page = rest.prefix(withShapes ? TrackerCommands.fencesWithShapes : TrackerCommands.fencesWithoutShapes)
        var collection = TextBuffer()
        while withShapes {
            collection = FenceFormat.write(Array(page), as: .geojson).text
            // Half of what a client takes leaves room for the rest of the line; a fence that alone is larger is passed over.
            if collection.bytes.count <= ControlProtocol.maximumAnswerBytes / 2 || page.isEmpty { break }
            page = page.prefix(page.count / 2)
        }
        let next = start + max(page.count, 1)
        let distances = withShapes || inside == nil ? nil : await fences.keeper.distances(to: page)
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        return ControlProtocol.object("FENCES") { json in
            json.member("total", all.count)
            if next < all.count { json.member("next", next) }
            if withShapes {
                // A line of the protocol has no line feed; in JSON none is needed.
                json.member("collection", json: collection.bytes.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
            } else {
                json.array("fences") { json in
                    for (index, fence) in page.enumerated() {
                        json.append(
                            fence, isAdded: added.contains(fence.id), isInside: inside?.contains(fence.id), now: now,
                            distanceMetres: distances?[index])
                    }
                }
            }
        }
    }

    func listActiveFences() async -> [UInt8] {
        let nearest = await fences.keeper.nearest(TrackerCommands.activeFences)
        let inside = await fences.keeper.insideIDs(unlessWithheldBy: source).map(Set.init)
        let now = UTCTime(millisecondsSince1970: WallClock.milliseconds)
        let added = await fences.keeper.addedIDs
        let count = await fences.keeper.fenceCount
        return ControlProtocol.object("FENCES") { json in
            json.member("total", count)
            json.array("fences") { json in
                // Which are the nearest would tell where it is.
                for (fence, metres) in inside == nil ? [] : nearest {
                    json.append(
                        fence, isAdded: added.contains(fence.id), isInside: inside?.contains(fence.id), now: now, distanceMetres: metres)
                }
            }
        }
    }

    /// All parts of a change are made as one: each would write, and look through, all fences there are.
    func addFences(
        _ collection: JSONValue, more: Bool, for peer: PeerCredentials, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> [UInt8] {
        let part: [Geofence]
        do throws(ControlRefusal) { part = try TrackerCommands.fences(of: collection) } catch {
            _ = fenceParts.take(on: connection)
            throw error
        }
        guard !more else {
            guard let count = fenceParts.append(part, on: connection) else {
                throw ControlRefusal(
                    .invalidValue, what: "fences", why: "are more than \(FenceFileLimits().entries) in one change",
                    next: "add them in parts")
            }
            return TrackerCommands.changed(0, waiting: count)
        }
        let fences = fenceParts.take(on: connection) + part
        let known = Set(await self.fences.keeper.fences.map(\.id))
        do throws(SystemError) { try await self.fences.add(fences) } catch {
            throw ControlRefusal(cannotKeep: "fences", error)
        }
        let named = fences.count == 1 ? "fence \"\(fences[0].name)\"" : counted(fences.count, "fence")
        logger.notice("\(named) added or changed by user \(peer.userID)")
        return TrackerCommands.changed(fences.count, replaced: Set(fences.map(\.id)).intersection(known).count)
    }

    private static func fences(of collection: JSONValue) throws(ControlRefusal) -> [Geofence] {
        var text = TextBuffer()
        text.appendJSON { json in json.element(collection) }
        let file: FenceFile
        do throws(FenceFileError) {
            file = try FenceFormat.read(text.bytes)
        } catch {
            throw ControlRefusal(.invalidValue, what: "fences", why: error.description)
        }
        if let problem = file.remarks.first(where: \.isDropped) { throw ControlRefusal(.invalidValue, what: "fences", why: "\(problem)") }
        guard !file.fences.isEmpty else { throw ControlRefusal(.invalidValue, what: "fences", why: "there is none in it") }
        return file.fences
    }

    func removeFence(_ id: String, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        let wasThere: Bool
        do throws(SystemError) { wasThere = try await fences.remove(id: id) } catch {
            throw ControlRefusal(cannotKeep: "fences", error)
        }
        guard wasThere else {
            let isInFile = await fences.keeper.fences.contains { $0.id == id }
            let what = "fence \"\(id)\""
            if isInFile {
                throw ControlRefusal(.notPermitted, what: what, why: "is in the fence file of the configuration", next: "remove it there")
            }
            throw ControlRefusal(.notFound, what: what, why: "there is no such fence", next: "see waypost fences list")
        }
        logger.notice("fence \"\(id)\" removed by user \(peer.userID)")
        return TrackerCommands.changed(1)
    }

    private static func changed(_ count: Int, replaced: Int? = nil, waiting: Int? = nil) -> [UInt8] {
        ControlProtocol.object("FENCES_CHANGED") { json in
            json.member("changed", count)
            json.member("replaced", replaced)
            json.member("waiting", waiting)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ fence: Geofence, isAdded: Bool, isInside: Bool?, now: UTCTime, distanceMetres: Double?) {
        let isExpired = fence.expires.map { $0 <= now } ?? false
        let middle = fence.shape.middle
        object { json in
            json.member("id", fence.id)
            json.member("name", fence.name)
            switch fence.shape {
            case .circle(let circle):
                json.member("shape", "circle")
                json.member("radius", circle.radiusMetres)
            case .polygons: json.member("shape", "polygon")
            case .corridor(_, let halfWidth):
                json.member("shape", "corridor")
                json.member("width", 2 * halfWidth)
            }
            json.member("lat", middle.latitudeDegrees)
            json.member("lon", middle.longitudeDegrees)
            json.member("dwell_seconds", fence.dwellSeconds)
            json.member("expires", fence.expires)
            json.member("expired", isExpired ? true : nil)
            json.member("added", isAdded ? true : nil)
            if let distanceMetres, !isExpired {
                json.member("inside", isInside)
                json.member("distance", (distanceMetres * 10).rounded() / 10)
            }
        }
    }
}
