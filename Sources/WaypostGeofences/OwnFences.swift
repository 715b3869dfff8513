import Waypost
import WaypostSystem

/// The fences in the state folder: those added while running, and a copy of the last good set of the files.
struct OwnFences {
    /// The fences added while running, in the order in which they came.
    private(set) var fences: [Geofence] = []
    /// What could not be read or written, for people.
    private(set) var problems: [String] = []

    private let addedPath: String
    private let goodPath: String
    private var good: [Geofence]?

    init(folder: String) {
        addedPath = folder + "/fences-added.geojson"
        goodPath = folder + "/fences-good.geojson"
    }

    mutating func load() {
        fences = read(addedPath) ?? []
        good = read(goodPath)
    }

    /// The fences of the files; where some of them failed, merged into the last good set.
    mutating func goodFences(or reading: FenceLoader.Reading?) -> [Geofence] {
        guard let reading else { return [] }
        if reading.hasFailures, let good { return merge(reading.fences, into: good) }
        if good != reading.fences {
            good = reading.fences
            do throws(SystemError) {
                try write(reading.fences, to: goodPath)
            } catch {
                problems = ["\(goodPath): cannot be written: \(error.reason); a damaged fence file loses its fences at the next start"]
            }
        }
        return reading.fences
    }

    /// Writes all of them again.
    mutating func writeAnew() {
        problems = []
        do throws(SystemError) {
            if !fences.isEmpty { try write(fences, to: addedPath) }
            if let good { try write(good, to: goodPath) }
        } catch {
            problems = ["the fences cannot be kept over a restart: \(error.description)"]
        }
    }

    mutating func add(_ added: [Geofence]) throws(SystemError) {
        let changed = merge(added, into: fences)
        try write(changed, to: addedPath)
        fences = changed
    }

    /// Removes a fence; returns whether there was one with that id.
    mutating func remove(id: String) throws(SystemError) -> Bool {
        guard fences.contains(where: { $0.id == id }) else { return false }
        let changed = fences.filter { $0.id != id }
        try write(changed, to: addedPath)
        fences = changed
        return true
    }

    /// The old fences, those with the same ids replaced, followed by the new ones.
    private func merge(_ new: [Geofence], into old: [Geofence]) -> [Geofence] {
        var merged = old
        var places = Dictionary(old.enumerated().map { ($0.element.id, $0.offset) }) { $1 }
        for fence in new {
            if let place = places[fence.id] {
                merged[place] = fence
            } else {
                places[fence.id] = merged.count
                merged.append(fence)
            }
        }
        return merged
    }

    private mutating func read(_ path: String) -> [Geofence]? {
        do throws(SystemError) {
            guard let bytes = try Syscalls.contents(of: path, limit: FenceFileLimits().bytes, as: .own) else { return nil }
            do throws(FenceFileError) {
                return try FenceFormat.read(bytes).fences
            } catch {
                problems.append("\(path): \(error.description)")
            }
        } catch {
            problems.append("\(path): cannot be read: \(error.reason)")
        }
        return nil
    }

    private func write(_ fences: [Geofence], to path: String) throws(SystemError) {
        try AtomicFile.write(FenceFormat.write(fences, as: .geojson).text.bytes, to: path, mode: 0o600)
    }
}
