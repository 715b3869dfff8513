import Waypost
import WaypostSystem

/// The fences in the state folder: those added while running, twice, and a copy of the last good set of the files.
///
/// ```
/// fences-added.geojson    GeoJSON with its checksum; without a checksum, from an editor, it counts as it is
/// fences-added.copy       the same, written after it: it counts where the first is missing or damaged
/// fences-good.geojson     the last good set of the fence files
/// ```
struct OwnFences {
    /// The fences added while running, in the order in which they came.
    private(set) var fences: [Geofence] = []
    /// What could not be read or written, for people.
    private(set) var problems: [String] = []

    private let addedPath: String
    private let copyPath: String
    private let goodPath: String
    private var good: [Geofence]?
    /// Whether the file of the added fences must be set aside before it is written.
    private var isDamaged = false

    init(folder: String) {
        addedPath = folder + "/fences-added.geojson"
        copyPath = folder + "/fences-added.copy"
        goodPath = folder + "/fences-good.geojson"
    }

    /// Whether there are files of fences that were added.
    var hasFile: Bool { Syscalls.exists(addedPath) || Syscalls.exists(copyPath) }

    mutating func load() {
        loadAdded()
        switch SealedFences(path: goodPath) {
        case .missing: good = nil
        case .damaged(let reason): problems.append("\(goodPath): \(reason)")
        case .whole(let fences, let remarks):
            good = fences
            problems += remarks
        }
    }

    private mutating func loadAdded() {
        switch SealedFences(path: addedPath) {
        case .whole(let fences, let remarks):
            self.fences = fences
            problems += remarks
            // The second may be of an earlier time, or this one from an editor.
            if SealedFences.areSame(addedPath, copyPath) { return }
            do throws(SystemError) { try writeAdded(fences) } catch { problems.append(unkept(error)) }
        case .missing:
            guard let kept = readCopy(), !kept.isEmpty else { return }
            fences = kept
            problems.append("\(addedPath): is missing; \(OwnFences.stay(kept)), and it is written again")
            do throws(SystemError) { try writeAdded(kept) } catch { problems.append(unkept(error)) }
        case .damaged(let reason):
            isDamaged = true
            guard let kept = readCopy() else {
                problems.append("\(addedPath): \(reason)")
                return
            }
            fences = kept
            do throws(SystemError) {
                let aside = try setAside()
                problems.append("\(addedPath): \(reason); \(OwnFences.stay(kept)), and the file is now \(aside)")
                try writeAdded(kept)
            } catch {
                problems.append("\(addedPath): \(reason); \(OwnFences.stay(kept))")
                problems.append(unkept(error))
            }
        }
    }

    /// The fences of the copy; nil when there are none to be read.
    private mutating func readCopy() -> [Geofence]? {
        switch SealedFences(path: copyPath) {
        case .missing: return nil
        case .damaged(let reason):
            problems.append("\(copyPath): \(reason)")
            return nil
        case .whole(let fences, _): return fences
        }
    }

    private static func stay(_ fences: [Geofence]) -> String {
        "the \(counted(fences.count, "fence")) added before \(fences.count == 1 ? "stays" : "stay")"
    }

    private func unkept(_ error: SystemError) -> String { "the fences cannot be kept over a restart: \(error.description)" }

    /// The fences of the files; where some of them failed, merged into the last good set.
    mutating func goodFences(or reading: FenceLoader.Reading?) -> [Geofence] {
        guard let reading else { return [] }
        if reading.hasFailures, let good { return merge(reading.fences, into: good) }
        if good != reading.fences {
            good = reading.fences
            do throws(SystemError) {
                try SealedFences.write(reading.fences, to: goodPath)
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
            if !fences.isEmpty { try writeAdded(fences) }
            if let good { try SealedFences.write(good, to: goodPath) }
        } catch {
            problems = [unkept(error)]
        }
    }

    mutating func add(_ added: [Geofence]) throws(SystemError) {
        let changed = merge(added, into: fences)
        try writeAdded(changed)
        fences = changed
    }

    /// Removes a fence; returns whether there was one with that id.
    mutating func remove(id: String) throws(SystemError) -> Bool {
        guard fences.contains(where: { $0.id == id }) else { return false }
        let changed = fences.filter { $0.id != id }
        try writeAdded(changed)
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

    private mutating func setAside() throws(SystemError) -> String {
        let aside = try Syscalls.setAside(addedPath)
        isDamaged = false
        return aside
    }

    /// The first file counts, and is whole before the second one is touched.
    private mutating func writeAdded(_ fences: [Geofence]) throws(SystemError) {
        // What a person may still want to read is not overwritten.
        if isDamaged, Syscalls.exists(addedPath) { _ = try setAside() }
        try SealedFences.write(fences, to: addedPath)
        try SealedFences.write(fences, to: copyPath)
    }
}
