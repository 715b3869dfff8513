extension FenceLinter {
    /// The most overlaps that are listed; further ones are counted.
    static let listedOverlaps = 20

    /// Adds the remarks that concern all fences of a file together.
    ///
    /// - Parameter list: the path of the list that contains the entries.
    func lint(_ file: inout FenceFile, list: String?) {
        let fences = file.fences
        let origins = file.origins
        func add(_ problem: FenceRemark.Problem, _ fence: Int) {
            let place = FenceEntryPlace(list: list, index: Int(origins[fence].index), line: Int(origins[fence].line))
            file.add(FenceRemark(index: place.index, name: fences[fence].name, place: place.member(nil), problem: problem))
        }
        var names: [String: Int] = [:]
        var shapes: [FenceShape: Int] = [:]
        for (index, fence) in fences.enumerated() {
            if let first = names.updateValue(index, forKey: fence.name) {
                add(.sameName(entry: Int(origins[first].index)), index)
            }
            if let first = shapes.updateValue(index, forKey: fence.shape) {
                add(.sameArea(entry: Int(origins[first].index), name: fences[first].name), index)
            }
        }
        for (index, place) in FenceLinter.swapped(fences) {
            add(.seemsSwapped(latitude: place.latitudeDegrees, longitude: place.longitudeDegrees), index)
        }
        var listed = 0
        var counted = 0
        let isWhole = FenceOverlaps.forEach(in: fences) { first, second in
            // Already reported.
            if fences[first].shape == fences[second].shape { return }
            if listed < FenceLinter.listedOverlaps {
                listed += 1
                add(.overlaps(entry: Int(origins[first].index), name: fences[first].name), second)
            } else {
                counted += 1
            }
        }
        if counted > 0 || !isWhole { file.add(FenceRemark(problem: .moreOverlaps(count: counted, isAtLeast: !isWhole))) }
    }

    /// Fences far from all others that would be among them with latitude and longitude swapped, and where they would be.
    ///
    /// The middle of a file is the median of its fences, which a few distant ones do not move.
    private static func swapped(_ fences: [Geofence]) -> [(fence: Int, place: Coordinate)] {
        guard fences.count >= 4 else { return [] }
        let middles = fences.map { fence -> Coordinate in
            if case .circle(let circle) = fence.shape { return circle.centre }
            let box = fence.shape.boundingBox
            return Coordinate(
                cuttingLatitudeDegrees: (box.southDegrees + box.northDegrees) / 2,
                wrappingLongitudeDegrees: box.westDegrees + box.widthDegrees / 2)
        }
        let middle = Coordinate(
            cuttingLatitudeDegrees: middles.map(\.latitudeDegrees).sorted()[middles.count / 2],
            wrappingLongitudeDegrees: middles.map(\.longitudeDegrees).sorted()[middles.count / 2])
        return middles.enumerated().compactMap { index, place in
            guard let swapped = Coordinate(latitudeDegrees: place.longitudeDegrees, longitudeDegrees: place.latitudeDegrees) else {
                return nil
            }
            let distance = Geodesic.distanceMetres(from: middle, to: place)
            guard distance > 1_000_000, Geodesic.distanceMetres(from: middle, to: swapped) < min(distance / 10, 300_000) else { return nil }
            return (index, place)
        }
    }
}
