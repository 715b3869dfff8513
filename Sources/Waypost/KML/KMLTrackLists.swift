/// The lists of one `gx:Track` being read: times, places, and the arrays of values that go with them.
///
/// A fix has the same place in each list. Where damage took entries, those before it are counted from the start of the lists and those behind
/// it from their end; no others are put together.
struct KMLTrackLists: Sendable {
    /// The meaning of an array of values.
    enum Array: Int, CaseIterable {
        case speed, course, accuracy

        /// The array with that name; nil when it is not one that is read.
        init?(name: String) {
            switch name.lowercased() {
            case "speed": self = .speed
            case "track", "course", "bearing", "heading": self = .course
            case "accuracy": self = .accuracy
            default: return nil
            }
        }
    }

    private enum Kind: Equatable {
        case time, place
        case value(Array)
    }

    /// How far the entries of a list have the places of their fixes.
    private struct Extent: Sendable {
        var count = 0
        /// How many entries came before the first damage; nil without any.
        private(set) var firstDamage: Int?
        private var lastDamage = 0

        /// How many have their places counted from the start.
        var head: Int { firstDamage ?? count }
        /// How many have them counted from the end.
        var tail: Int { firstDamage == nil ? count : count - lastDamage }

        mutating func noteDamage() {
            firstDamage = firstDamage ?? count
            lastDamage = count
        }
    }

    private(set) var times: [UTCTime?] = []
    private(set) var places: [KMLPlaces.Place?] = []
    private var values: [[Double]] = Array.allCases.map { _ in [] }
    private var timeExtent = Extent()
    private var placeExtent = Extent()
    /// That of the places where times and places alternate: damage may have taken some of both.
    private var mixedExtent = Extent()
    private var valueExtents = Array.allCases.map { _ in Extent() }
    /// The time right before each place, if there is one.
    private var neighbours: [Int?] = []
    private var last: Kind?
    /// How often a time followed a place, or a place a time: once where all of one kind come first.
    private var turnCount = 0
    /// Whether something was damaged since the last entry.
    private var isDamaged = false
    /// Whether the file ended within the track.
    var isCut = false
    /// How many entries had no room.
    private(set) var overlongCount = 0

    // MARK: - Entries

    /// Notes that entries may be lost here.
    mutating func noteDamage() { isDamaged = true }

    mutating func add(time: UTCTime?) {
        guard times.count < KMLTrackReader.mostTrackPoints else { return }
        begin(.time)
        times.append(time)
        timeExtent.count += 1
    }

    mutating func add(place: KMLPlaces.Place?) {
        guard places.count < KMLTrackReader.mostTrackPoints else {
            overlongCount += 1
            return
        }
        neighbours.append(last == .time && !isDamaged ? times.count - 1 : nil)
        begin(.place)
        places.append(place)
        placeExtent.count += 1
        mixedExtent.count += 1
    }

    /// Adds a value, NaN for an unknown one; false when it is impossible.
    mutating func add(_ value: Double, to array: Array) -> Bool {
        let isPossible = value.isNaN || value.isFinite && value >= 0 && (array != .course || value <= 360)
        if values[array.rawValue].count < KMLTrackReader.mostTrackPoints {
            begin(.value(array))
            values[array.rawValue].append(isPossible ? value : .nan)
            valueExtents[array.rawValue].count += 1
        }
        return isPossible
    }

    /// Ends the lists.
    mutating func finish() {
        if isDamaged, let last { noteDamage(of: last) }
    }

    private mutating func begin(_ kind: Kind) {
        if isDamaged {
            // The end of one list may be lost, and the start of the other.
            if let last { noteDamage(of: last) }
            noteDamage(of: kind)
            isDamaged = false
        }
        if last == .time && kind == .place || last == .place && kind == .time { turnCount += 1 }
        last = kind
    }

    private mutating func noteDamage(of kind: Kind) {
        switch kind {
        case .time:
            timeExtent.noteDamage()
            mixedExtent.noteDamage()
        case .place:
            placeExtent.noteDamage()
            mixedExtent.noteDamage()
        case .value(let array): valueExtents[array.rawValue].noteDamage()
        }
    }

    // MARK: - Fixes

    /// The fix with that place in the list of places; nil where there is a gap.
    func point(_ index: Int) -> GPXPoint? {
        guard let place = places[index] else { return nil }
        var point = GPXPoint(silentAt: place.coordinate)
        point.position.time = time(of: index).flatMap { times[$0] }
        point.position.altitudeMSLMetres = place.altitudeMetres
        if place.altitudeMetres != nil { point.position.mode = .threeDimensional }
        point.position.speedMetresPerSecond = value(.speed, index)
        point.position.courseDegrees = value(.course, index).map { $0 == 360 ? 0 : $0 }
        point.position.accuracy = value(.accuracy, index).map { HorizontalAccuracy(radiusMetres: $0, origin: .receiver) }
        return point
    }

    /// How many times and places cannot be paired.
    var unpairedCount: Int {
        let partners = places.indices.map(time(of:))
        let placeCount = zip(places, partners).count { $0 != nil && $1 == nil }
        return placeCount + times.count - partners.count { $0 != nil }
    }

    /// The place in the list of times of the fix with that place in the list of places; nil when that is not certain.
    private func time(of index: Int) -> Int? {
        let isWhole = timeExtent.firstDamage == nil && placeExtent.firstDamage == nil
        if isWhole, times.count == places.count { return index }
        if turnCount > 1 { return neighbours[index] }
        // Nobody knows where some are missing, except at the end of a file that was cut.
        if isWhole { return isCut && index < times.count ? index : nil }
        return entry(of: timeExtent, at: index, among: placeExtent)
    }

    private func value(_ array: Array, _ index: Int) -> Double? {
        let (list, extent) = (values[array.rawValue], valueExtents[array.rawValue])
        let placeExtent = turnCount > 1 ? mixedExtent : placeExtent
        let entry: Int?
        if extent.firstDamage != nil || placeExtent.firstDamage != nil {
            entry = self.entry(of: extent, at: index, among: placeExtent)
        } else {
            entry = list.count == places.count || isCut && index < list.count ? index : nil
        }
        return entry.flatMap { list[$0].isNaN ? nil : list[$0] }
    }

    /// The place in a list of the fix with that place in the list of places, one of which is damaged; nil when that is not certain.
    private func entry(of extent: Extent, at index: Int, among placeExtent: Extent) -> Int? {
        let head = min(extent.head, placeExtent.head)
        if index < head { return index }
        let tail = isCut ? 0 : min(extent.tail, placeExtent.tail, min(extent.count, places.count) - head)
        return index >= places.count - tail ? extent.count - (places.count - index) : nil
    }
}
