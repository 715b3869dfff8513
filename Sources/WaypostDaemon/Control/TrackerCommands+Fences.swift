import Logging
import Waypost
import WaypostControl
import WaypostGeofences
import WaypostPositioning
import WaypostSystem

// What is asked about fences.

extension ListFencesRequest: TrackerVerb {
    /// So many fences are in one answer, with their shapes and without.
    private static let fencesWithShapes = 200
    private static let fencesWithoutShapes = 5_000

    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let (fences, source) = (tracker.fences, tracker.source)
        await fences.reload()
        let all = await fences.keeper.fences
        let added = await fences.keeper.addedIDs
        let inside = await fences.keeper.insideIDs(unlessWithheldBy: source).map(Set.init)
        let start = min(Int(clamping: start), all.count)
        let rest = all.dropFirst(start)
        var page = rest.prefix(hasShapes ? ListFencesRequest.fencesWithShapes : ListFencesRequest.fencesWithoutShapes)
        var collection = TextBuffer()
        while hasShapes {
            collection = FenceFormat.write(Array(page), as: .geojson).text
            // Half of what a client takes leaves room for the rest of the line; a fence that alone is larger is passed over.
            if collection.bytes.count <= ControlProtocol.maximumAnswerBytes / 2 || page.isEmpty { break }
            page = page.prefix(page.count / 2)
        }
        let next = start + max(page.count, 1)
        var answer = Answer()
        answer.totalCount = all.count
        answer.next = next < all.count ? UInt64(next) : nil
        if hasShapes {
            // A line of the protocol has no line feed; in JSON none is needed.
            answer.collection = JSONText(bytes: collection.bytes.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
            return answer
        }
        let distances = inside == nil ? nil : await fences.keeper.distances(to: page)
        let now = tracker.clock.likelyNow
        answer.fences = page.enumerated().map { index, fence in
            FenceEntry(
                fence, isAdded: added.contains(fence.id), isInside: inside?.contains(fence.id), now: now, distanceMetres: distances?[index])
        }
        return answer
    }
}

extension ActiveFencesRequest: TrackerVerb {
    /// So many fences are shown as active.
    private static let fencesShown = 20

    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let keeper = tracker.fences.keeper
        let nearest = await keeper.nearest(ActiveFencesRequest.fencesShown)
        let inside = await keeper.insideIDs(unlessWithheldBy: tracker.source).map(Set.init)
        let now = tracker.clock.likelyNow
        let added = await keeper.addedIDs
        var answer = Answer()
        answer.totalCount = await keeper.fenceCount
        // Which are the nearest would tell where it is.
        answer.fences = (inside == nil ? [] : nearest).map { fence, metres in
            FenceEntry(fence, isAdded: added.contains(fence.id), isInside: inside?.contains(fence.id), now: now, distanceMetres: metres)
        }
        return answer
    }
}

extension AddFencesRequest: TrackerVerb {
    /// So many of the fences that were replaced are told.
    private static let fencesTold = 20

    /// All parts of a change are made as one: each would write, and look through, all fences there are.
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let part: [Geofence]
        do throws(ControlRefusal) { part = try fences() } catch {
            _ = tracker.fenceParts.take(on: caller.connection)
            throw error
        }
        guard !hasMore else {
            guard let count = tracker.fenceParts.append(part, on: caller.connection) else {
                throw ControlRefusal(
                    .invalidValue, what: "fences", why: "are more than \(FenceFileLimits().entries) in one change",
                    next: "add them in parts")
            }
            return Answer(count: 0, waiting: count)
        }
        let fences = tracker.fenceParts.take(on: caller.connection) + part
        let ids = Set(fences.map(\.id))
        let replaced = await tracker.fences.keeper.fences.filter { ids.contains($0.id) }
        let added = await tracker.fences.keeper.addedIDs
        do throws(SystemError) { try await tracker.fences.add(fences) } catch {
            throw ControlRefusal(cannotKeep: "fences", error)
        }
        let named = fences.count == 1 ? "fence \"\(fences[0].name)\"" : counted(fences.count, "fence")
        tracker.logger.notice("\(named) added or changed by user \(caller.peer.userID)")
        let now = tracker.clock.likelyNow
        let previous = replaced.prefix(AddFencesRequest.fencesTold).map {
            FenceEntry($0, isAdded: added.contains($0.id), isInside: nil, now: now, distanceMetres: nil)
        }
        return Answer(count: fences.count, replaced: replaced.count, previous: previous)
    }

    /// The fences of the collection.
    private func fences() throws(ControlRefusal) -> [Geofence] {
        var text = TextBuffer()
        text.appendJSON { json in json.element(.object(collection)) }
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
}

extension RemoveFenceRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let wasThere: Bool
        do throws(SystemError) { wasThere = try await tracker.fences.remove(id: id) } catch {
            throw ControlRefusal(cannotKeep: "fences", error)
        }
        guard wasThere else {
            let isInFile = await tracker.fences.keeper.fences.contains { $0.id == id }
            let what = "fence \"\(id)\""
            if isInFile {
                throw ControlRefusal(.notPermitted, what: what, why: "is in the fence file of the configuration", next: "remove it there")
            }
            throw ControlRefusal(.notFound, what: what, why: "there is no such fence", next: "see waypost fences list")
        }
        tracker.logger.notice("fence \"\(id)\" removed by user \(caller.peer.userID)")
        var answer = Answer(count: 1)
        answer.isInFile = await tracker.fences.keeper.fences.contains { $0.id == id }
        return answer
    }
}

extension FenceEntry {
    /// A fence, and where the device is seen from it.
    init(_ fence: Geofence, isAdded: Bool, isInside: Bool?, now: UTCTime?, distanceMetres: Double?) {
        self.init()
        id = fence.id
        name = fence.name
        switch fence.shape {
        case .circle(let circle): (shape, radiusMetres) = (.circle, circle.radiusMetres)
        case .polygons: shape = .polygon
        case .corridor(_, let halfWidth): (shape, widthMetres) = (.corridor, 2 * halfWidth)
        }
        let middle = fence.shape.middle
        (latitudeDegrees, longitudeDegrees) = (middle.latitudeDegrees, middle.longitudeDegrees)
        dwellSeconds = fence.dwellSeconds
        expires = fence.expires
        if let expires = fence.expires, let now { isExpired = expires <= now }
        self.isAdded = isAdded
        guard let distanceMetres, !isExpired else { return }
        self.isInside = isInside
        self.distanceMetres = (distanceMetres * 10).rounded() / 10
    }
}
