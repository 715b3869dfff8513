/// Collects the fences of a file; of several with one id, the last one counts.
struct FenceCollector {
    private(set) var file: FenceFile
    let reading: FenceReading
    private let list: String?
    private var places: [String: Int32] = [:]
    /// How many places were off the Earth, but would not be with latitude and longitude swapped.
    private var swappedCount = 0

    /// - Parameter list: the path of the list that the entries are in; nil when the file is one entry.
    init(format: FenceFormat, list: String?, _ reading: FenceReading) {
        file = FenceFile(format: format)
        self.list = list
        self.reading = reading
        for problem in reading.prelude { file.add(FenceRemark(problem: problem)) }
    }

    /// Adds an entry: its fence, or the reason why it yields none.
    ///
    /// Throws when the file has too many entries.
    /// - Parameters:
    ///   - line: the entry's line where places are lines, else 0.
    ///   - name: the name, as far as it could be read.
    mutating func add(line: Int = 0, name: String?, _ draft: () throws(FenceEntryError) -> FenceDraft) throws(FenceFileError) {
        guard file.entryCount < reading.limits.entries else { throw .tooManyEntries(limit: reading.limits.entries) }
        let place = FenceEntryPlace(list: list, index: file.entryCount, line: line)
        file.entryCount += 1
        do throws(FenceEntryError) {
            take(try draft(), place)
        } catch {
            if case .coordinateOutOfRange(let latitude, let longitude) = error.problem,
                Coordinate(latitudeDegrees: longitude, longitudeDegrees: latitude) != nil
            {
                swappedCount += 1
            }
            let words = error.line.map { "line \($0)" } ?? place.member(error.path)
            file.add(FenceRemark(index: place.index, name: name, place: words, problem: error.problem))
        }
    }

    /// Adds a remark on the whole file.
    mutating func remark(_ problem: FenceRemark.Problem, at place: String? = nil) {
        file.add(FenceRemark(place: place, problem: problem))
    }

    /// The file, completed with what only the whole file shows.
    consuming func finished() -> FenceFile {
        // One such entry is a slip; if most are, the file's author used the other order.
        if swappedCount > 1, swappedCount * 2 >= file.entryCount { file.add(FenceRemark(problem: .fileSeemsSwapped(count: swappedCount))) }
        if let linter = reading.linter { linter.lint(&file, list: list) }
        return file
    }

    private mutating func take(_ draft: FenceDraft, _ place: FenceEntryPlace) {
        func remark(_ problem: FenceRemark.Problem, at words: String?) {
            file.add(FenceRemark(index: place.index, name: draft.name ?? draft.id, place: words, problem: problem))
        }
        let shape: FenceShape
        do throws(FenceShapeError) {
            shape = try draft.area.shape()
        } catch {
            remark(.shape(error), at: FenceCollector.place(of: error, draft, place))
            return
        }
        let fence = Geofence(
            id: draft.id, name: draft.name, shape: shape, dwellSeconds: draft.dwellSeconds, expires: draft.expires,
            notifications: draft.notifications)
        for problem in draft.overlooked { remark(problem, at: place.member(nil)) }
        reading.linter?.lint(draft, fence, place, remark)
        let origin = FenceOrigin(index: Int32(clamping: place.index), line: Int32(clamping: place.line))
        if let earlier = places[fence.id].map(Int.init) {
            remark(.repeatedID(fence.id), at: place.member(nil))
            file.fences[earlier] = fence
            file.origins[earlier] = origin
        } else {
            places[fence.id] = Int32(file.fences.count)
            file.fences.append(fence)
            file.origins.append(origin)
        }
    }

    /// The place in the file where a shape goes wrong.
    private static func place(of error: FenceShapeError, _ draft: FenceDraft, _ place: FenceEntryPlace) -> String? {
        switch error {
        case .radiusOutOfRange, .widthOutOfRange: place.member(draft.sizeMember)
        case .tooFewCorners(let polygon, let ring), .windsMoreThanOnce(let polygon, let ring):
            place.corner(draft.corners, polygon: polygon, ring: ring, corner: nil)
        case .tooFewPoints: place.corner(draft.corners, polygon: 0, ring: 0, corner: nil, isLine: true)
        case .empty: place.member(nil)
        }
    }
}
