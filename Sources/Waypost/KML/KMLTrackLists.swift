/// The lists of one `gx:Track` being read: times, places, and the arrays of values that go with them.
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

    private(set) var times: [UTCTime?] = []
    private(set) var places: [KMLPlaces.Place?] = []
    private var values: [[Double]] = Array.allCases.map { _ in [] }
    /// How many entries had no room.
    private(set) var overlongCount = 0

    var isEmpty: Bool { times.isEmpty && places.isEmpty }

    mutating func add(time: UTCTime?) {
        if times.count < KMLTrackReader.mostTrackPoints { times.append(time) }
    }

    mutating func add(place: KMLPlaces.Place?) {
        if places.count < KMLTrackReader.mostTrackPoints { places.append(place) } else { overlongCount += 1 }
    }

    /// Adds a value, NaN for an unknown one; false when it is impossible.
    mutating func add(_ value: Double, to array: Array) -> Bool {
        let isPossible = value.isNaN || value.isFinite && value >= 0 && (array != .course || value <= 360)
        if values[array.rawValue].count < KMLTrackReader.mostTrackPoints { values[array.rawValue].append(isPossible ? value : .nan) }
        return isPossible
    }

    /// The fix with that index; nil where there is a gap.
    func point(_ index: Int) -> GPXPoint? {
        guard let place = places[index] else { return nil }
        var point = GPXPoint(silentAt: place.coordinate)
        if index < times.count { point.position.time = times[index] }
        point.position.altitudeMSLMetres = place.altitudeMetres
        if place.altitudeMetres != nil { point.position.mode = .threeDimensional }
        point.position.speedMetresPerSecond = value(.speed, index)
        point.position.courseDegrees = value(.course, index).map { $0 == 360 ? 0 : $0 }
        point.position.accuracy = value(.accuracy, index).map { HorizontalAccuracy(radiusMetres: $0, origin: .receiver) }
        return point
    }

    private func value(_ array: Array, _ index: Int) -> Double? {
        let list = values[array.rawValue]
        return index < list.count && !list[index].isNaN ? list[index] : nil
    }
}
