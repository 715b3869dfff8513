import func Glibc.atan2
import func Glibc.cos
import func Glibc.hypot
import func Glibc.sin

extension Geodesic {
    /// The shortest line by Karney's method.
    ///
    /// The azimuth at the first place is the root of "the line meets the second place's parallel at its longitude". That longitude grows with
    /// the azimuth, so that Newton's steps stay inside a bracket and always converge.
    static func longLine(from start: Coordinate, to end: Coordinate) -> Line {
        let eastward = (end.longitudeDegrees - start.longitudeDegrees).wrappedDegrees
        // The canonical case: start in the south, at least as far from the equator as the end, and the end to the east.
        let isSwapped = abs(start.latitudeDegrees) < abs(end.latitudeDegrees)
        let (far, near) =
            isSwapped ? (end.latitudeDegrees, start.latitudeDegrees) : (start.latitudeDegrees, end.latitudeDegrees)
        let isNorth = far > 0
        let problem = CanonicalLine(
            first: reducedLatitude(ofDegrees: isNorth ? -far : far), second: reducedLatitude(ofDegrees: isNorth ? -near : near),
            longitudeDegrees: abs(eastward))

        var (first, second) = (problem.solution.first, problem.solution.second)
        if isSwapped {
            (first, second) = (
                SineCosine(sine: second.sine, cosine: -second.cosine), SineCosine(sine: first.sine, cosine: -first.cosine)
            )
        }
        let north: Double = isNorth ? -1 : 1
        let east: Double = eastward < 0 ? -1 : 1
        return Line(
            distanceMetres: problem.solution.distanceMetres,
            initialAzimuthDegrees: azimuthDegrees(sine: first.sine * east, cosine: first.cosine * north),
            finalAzimuthDegrees: azimuthDegrees(sine: second.sine * east, cosine: second.cosine * north))
    }
}

/// The inverse problem in its canonical case: β1 <= 0, β1 <= β2 <= -β1, 0 <= λ12 <= π.
private struct CanonicalLine {
    struct Solution {
        var distanceMetres: Double
        var first: SineCosine
        var second: SineCosine
    }

    let solution: Solution

    /// Newton's method needs three to eight steps; halving the bracket alone would need 60.
    private static let mostSteps = 100
    /// A longitude met this closely, in radians, is a place met within 20 nanometres.
    private static let closeEnough = 3e-15

    init(first latitude1: SineCosine, second latitude2: SineCosine, longitudeDegrees: Double) {
        let longitude = longitudeDegrees.inRadians
        let start = SineCosine(sine: min(latitude1.sine, -1e-200), cosine: latitude1.cosine)

        // Along a meridian, unless a line off it is shorter, as near antipodes.
        if longitudeDegrees == 0 || longitudeDegrees == 180 || latitude1.cosine <= 1e-150 {
            let azimuth = SineCosine(degrees: longitudeDegrees)
            let trial = Trial(from: start, azimuth: azimuth, to: latitude2, arrival: SineCosine(sine: 0, cosine: 1))
            if trial.reducedLength >= 0 {
                solution = Solution(distanceMetres: trial.distanceMetres, first: azimuth, second: trial.arrival)
                return
            }
        }
        // Along the equator, unless the end is too far round.
        if latitude1.sine == 0, longitude <= (1 - WGS84.flattening) * .pi {
            let east = SineCosine(sine: 1, cosine: 0)
            solution = Solution(distanceMetres: WGS84.equatorialRadiusMetres * longitude, first: east, second: east)
            return
        }

        var (low, high) = (0.0, Double.pi)
        var azimuth = CanonicalLine.guess(from: start, to: latitude2, longitude: longitude)
        var trial = Trial(from: start, azimuth: SineCosine(radians: azimuth), to: latitude2)
        for _ in 0..<CanonicalLine.mostSteps {
            let miss = trial.longitude - longitude
            if abs(miss) <= CanonicalLine.closeEnough { break }
            if miss > 0 { high = azimuth } else { low = azimuth }
            var next = azimuth - miss / trial.longitudePerAzimuth
            if !(next > low && next < high) { next = (low + high) / 2 }
            if next == azimuth || next == low || next == high { break }
            azimuth = next
            trial = Trial(from: start, azimuth: SineCosine(radians: azimuth), to: latitude2)
        }
        solution = Solution(distanceMetres: trial.distanceMetres, first: SineCosine(radians: azimuth), second: trial.arrival)
    }

    /// The azimuth on the auxiliary sphere, with the longitude stretched as it is at the mean latitude (equation 48).
    private static func guess(from first: SineCosine, to second: SineCosine, longitude: Double) -> Double {
        let mean = (first.cosine + second.cosine) / 2
        let stretched = longitude / (1 - WGS84.eccentricitySquared * mean * mean).squareRoot()
        let onSphere = stretched < .pi ? stretched : longitude
        let azimuth = atan2(
            second.cosine * sin(onSphere), first.cosine * second.sine - first.sine * second.cosine * cos(onSphere))
        return min(max(azimuth, 1e-9), .pi - 1e-9)
    }
}

/// The geodesic that leaves a parallel at an azimuth, up to where it meets another parallel going north.
private struct Trial {
    /// The azimuth there.
    let arrival: SineCosine
    /// The longitude covered, in radians.
    let longitude: Double
    let distanceMetres: Double
    /// m12 over the polar radius; negative beyond a conjugate point.
    let reducedLength: Double
    /// How the longitude grows with the azimuth (equations 46 and 47).
    let longitudePerAzimuth: Double

    init(from first: SineCosine, azimuth: SineCosine, to second: SineCosine, arrival known: SineCosine? = nil) {
        let equator = SineCosine(sine: azimuth.sine * first.cosine, cosine: hypot(azimuth.cosine, azimuth.sine * first.sine))
        let series = GeodesicSeries(azimuthAtEquator: equator)
        arrival = known ?? Trial.arrival(from: first, azimuth: azimuth, equatorSine: equator.sine, to: second)

        let start = Trial.unit(first.sine, azimuth.cosine * first.cosine)
        let end = Trial.unit(second.sine, arrival.cosine * second.cosine)
        let arc = Trial.angle(from: start, to: end)
        let onSphere = Trial.angle(
            from: Trial.unit(equator.sine * first.sine, azimuth.cosine * first.cosine),
            to: Trial.unit(equator.sine * second.sine, arrival.cosine * second.cosine))
        longitude =
            onSphere - WGS84.flattening * equator.sine * series.longitudeScale
            * (arc + series.longitudeWave(end) - series.longitudeWave(start))

        let distance = series.distanceScale * (arc + series.distanceWave(end) - series.distanceWave(start))
        distanceMetres = WGS84.polarRadiusMetres * distance
        let reduced = series.reducedScale * (arc + series.reducedWave(end) - series.reducedWave(start))
        let startStretch = (1 + WGS84.secondEccentricitySquared * first.sine * first.sine).squareRoot()
        let endStretch = (1 + WGS84.secondEccentricitySquared * second.sine * second.sine).squareRoot()
        reducedLength =
            endStretch * start.cosine * end.sine - startStretch * start.sine * end.cosine
            - start.cosine * end.cosine * (distance - reduced)
        longitudePerAzimuth =
            arrival.cosine == 0
            ? -2 * (1 - WGS84.flattening) * startStretch / first.sine
            : (1 - WGS84.flattening) * reducedLength / (arrival.cosine * second.cosine)
    }

    /// The azimuth at the second parallel (equations 5 and 45).
    private static func arrival(from first: SineCosine, azimuth: SineCosine, equatorSine: Double, to second: SineCosine) -> SineCosine {
        let northward = azimuth.cosine * first.cosine
        // cos²β2 - cos²β1, by the smaller of the two functions.
        let difference =
            first.cosine < -first.sine
            ? (second.cosine - first.cosine) * (first.cosine + second.cosine)
            : (first.sine - second.sine) * (first.sine + second.sine)
        return unit(equatorSine, max(northward * northward + difference, 0).squareRoot())
    }

    private static func unit(_ sine: Double, _ cosine: Double) -> SineCosine {
        let length = hypot(sine, cosine)
        return length > 0 ? SineCosine(sine: sine / length, cosine: cosine / length) : SineCosine(sine: 0, cosine: 1)
    }

    /// The angle in 0...π from one direction to another.
    private static func angle(from start: SineCosine, to end: SineCosine) -> Double {
        atan2(
            max(start.cosine * end.sine - start.sine * end.cosine, 0), start.cosine * end.cosine + start.sine * end.sine)
    }
}
