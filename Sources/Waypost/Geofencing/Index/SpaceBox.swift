/// A box in the geocentric frame, rounded outward to whole floats: it has neither a seam at the antimeridian nor poles.
struct SpaceBox: Sendable {
    var low: SIMD4<Float>
    var high: SIMD4<Float>

    /// A box that every box grows.
    static let nothing = SpaceBox(low: SIMD4(repeating: .infinity), high: SIMD4(repeating: -.infinity))

    init(low: SIMD4<Float>, high: SIMD4<Float>) {
        self.low = low
        self.high = high
    }

    private init(x: ClosedRange<Double>, y: ClosedRange<Double>, z: ClosedRange<Double>) {
        // Floats of this size lie 0.5 m apart.
        low = SIMD4(Float(x.lowerBound - 1), Float(y.lowerBound - 1), Float(z.lowerBound - 1), 0)
        high = SIMD4(Float(x.upperBound + 1), Float(y.upperBound + 1), Float(z.upperBound + 1), 0)
    }

    /// Round the whole area of a fence.
    init(_ shape: FenceShape) {
        switch shape {
        case .circle(let circle):
            let (centre, radius) = (circle.vector, circle.radiusMetres)
            self.init(
                x: centre.x - radius...centre.x + radius, y: centre.y - radius...centre.y + radius,
                z: centre.z - radius...centre.z + radius)
        case .polygons(let rings): self.init(rings)
        case .corridor(let line, let halfWidth):
            self.init(line)
            let margin = SIMD4(Float(halfWidth + 1), Float(halfWidth + 1), Float(halfWidth + 1), 0)
            low -= margin
            high += margin
        }
    }

    /// Round everything between the sides of a box of latitudes and longitudes.
    private init(_ rings: FenceRings) {
        let nearest = rings.south > 0 ? rings.south : (rings.north < 0 ? rings.north : 0)
        let widest = SpaceBox.parallelRadius(nearest)
        let narrowest = min(SpaceBox.parallelRadius(rings.south), SpaceBox.parallelRadius(rings.north))
        let x = SpaceBox.cosines(from: rings.west, to: rings.east)
        let y = SpaceBox.cosines(from: rings.west - 90, to: rings.east - 90)
        self.init(
            x: SpaceBox.scaled(x, narrowest, widest), y: SpaceBox.scaled(y, narrowest, widest),
            z: SpaceBox.height(rings.south)...SpaceBox.height(rings.north))
    }

    mutating func formUnion(_ other: SpaceBox) {
        low.replace(with: other.low, where: other.low .< low)
        high.replace(with: other.high, where: other.high .> high)
    }

    /// The squared distance to a point, 0 inside; square metres.
    @inline(__always)
    func distanceSquared(to point: SIMD4<Float>) -> Float {
        // At most one of the two is positive on each axis.
        let zero = SIMD4<Float>.zero
        let (below, above) = (low - point, point - high)
        let off = below.zeroed(where: below .< zero) + above.zeroed(where: above .< zero)
        let squared = off * off
        return squared.x + squared.y + squared.z
    }

    var middle: SIMD4<Float> { (low + high) * 0.5 }

    /// The place of its middle on the curve of Morton: the bits of the three coordinates in turn, 12 m to a step.
    var curve: UInt64 {
        func spread(_ value: Float) -> UInt64 {
            // 2^20 steps from -6 400 km to 6 400 km.
            var bits = UInt64(max(0, min(1_048_575, (Double(value) + 6.4e6) / 12.8e6 * 1_048_576)))
            bits = (bits | bits << 32) & 0x1F_0000_0000_FFFF
            bits = (bits | bits << 16) & 0x1F_0000_FF00_00FF
            bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
            bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
            bits = (bits | bits << 2) & 0x1249_2492_4924_9249
            return bits
        }
        let point = middle
        return spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
    }

    private static func parallelRadius(_ latitude: Double) -> Double {
        let angle = SineCosine(degrees: latitude)
        return WGS84.curvatureRadii(sineSquared: angle.sine * angle.sine).primeVertical * angle.cosine
    }

    private static func height(_ latitude: Double) -> Double {
        let sine = SineCosine(degrees: latitude).sine
        return WGS84.curvatureRadii(sineSquared: sine * sine).primeVertical * (1 - WGS84.eccentricitySquared) * sine
    }

    /// The range of the cosine between two angles in degrees.
    private static func cosines(from start: Double, to end: Double) -> ClosedRange<Double> {
        let (first, last) = (SineCosine(degrees: start).cosine, SineCosine(degrees: end).cosine)
        let hasHighest = (start / 360).rounded(.up) <= (end / 360).rounded(.down)
        let hasLowest = ((start - 180) / 360).rounded(.up) <= ((end - 180) / 360).rounded(.down)
        return (hasLowest ? -1 : min(first, last))...(hasHighest ? 1 : max(first, last))
    }

    private static func scaled(_ range: ClosedRange<Double>, _ narrowest: Double, _ widest: Double) -> ClosedRange<Double> {
        let low = range.lowerBound * (range.lowerBound < 0 ? widest : narrowest)
        let high = range.upperBound * (range.upperBound > 0 ? widest : narrowest)
        return low...high
    }
}

extension GeocentricVector {
    /// Rounded to floats: within half a metre.
    var single: SIMD4<Float> { SIMD4(Float(x), Float(y), Float(z), 0) }
}
