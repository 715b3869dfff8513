import Testing
import Waypost

@Suite struct GeofenceTests {
    private let here: Coordinate

    init() throws { here = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8)) }

    @Test func neverDwellsNorExpiresUnlessItIsToldTo() throws {
        let shape = try FenceShape.circle(centre: here, radiusMetres: 100)
        var fence = Geofence(id: "home", shape: shape)
        #expect(fence.dwellSeconds == nil && fence.expires == nil && fence.name == "home")
        let same = fence
        fence.dwellSeconds = 0
        fence.expires = UTCTime(millisecondsSince1970: 0)
        #expect(fence.dwellSeconds == 0 && fence.expires == UTCTime(millisecondsSince1970: 0) && fence != same)
        let given = Geofence(id: "home", shape: shape, dwellSeconds: 0, expires: UTCTime(millisecondsSince1970: 0))
        #expect(fence == given)
        (fence.dwellSeconds, fence.expires) = (nil, nil)
        #expect(fence == same && fence.hashValue == same.hashValue)
    }

    /// A hundred thousand of them are held in memory.
    @Test func takesNoMoreThanItsTextsAndItsShapeNeed() {
        #expect(MemoryLayout<Geofence>.stride <= 2 * MemoryLayout<String>.size + MemoryLayout<FenceShape>.stride + 24)
    }
}
