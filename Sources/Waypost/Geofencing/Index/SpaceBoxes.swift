/// Four boxes, side by side, to be held against a point at a time.
struct SpaceBoxes: Sendable {
    private var lowX = SIMD4<Float>(repeating: .nan)
    private var lowY = SIMD4<Float>(repeating: .nan)
    private var lowZ = SIMD4<Float>(repeating: .nan)
    private var highX = SIMD4<Float>(repeating: .nan)
    private var highY = SIMD4<Float>(repeating: .nan)
    private var highZ = SIMD4<Float>(repeating: .nan)

    /// Those boxes, four at most; a place without a box is within no distance of anything, not even an infinite one.
    init(_ boxes: ArraySlice<SpaceBox>) {
        for (lane, box) in boxes.enumerated() {
            (lowX[lane], lowY[lane], lowZ[lane]) = (box.low.x, box.low.y, box.low.z)
            (highX[lane], highY[lane], highZ[lane]) = (box.high.x, box.high.y, box.high.z)
        }
    }

    /// The box in one of the places.
    subscript(_ lane: Int) -> SpaceBox {
        SpaceBox(low: SIMD4(lowX[lane], lowY[lane], lowZ[lane], 0), high: SIMD4(highX[lane], highY[lane], highZ[lane], 0))
    }

    /// The squared distances to a point, 0 inside; square metres.
    ///
    /// Not a number where there is no box.
    @inline(__always)
    func distancesSquared(to point: SIMD4<Float>) -> SIMD4<Float> {
        func off(_ low: SIMD4<Float>, _ high: SIMD4<Float>, _ place: Float) -> SIMD4<Float> {
            // At most one of the two is positive.
            let (below, above) = (low - place, place - high)
            let zero = SIMD4<Float>.zero
            return below.zeroed(where: below .< zero) + above.zeroed(where: above .< zero)
        }
        let (x, y, z) = (off(lowX, highX, point.x), off(lowY, highY, point.y), off(lowZ, highZ, point.z))
        return x * x + y * y + z * z
    }
}
