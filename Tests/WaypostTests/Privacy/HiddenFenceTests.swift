import Testing
import Waypost

/// Which areas a zone may hide as a whole.
struct HiddenFenceTests {
    /// A place so many metres north and east of the zone's centre.
    private func place(_ north: Double, _ east: Double) throws -> Coordinate {
        try #require(Coordinate(latitudeDegrees: 52.5 + north / 111_270, longitudeDegrees: 13.4 + east / 67_900))
    }

    private func square(_ half: Double) throws -> [Coordinate] {
        try [place(half, half), place(half, -half), place(-half, -half), place(-half, half)]
    }

    @Test func hidesWhatLiesWithinTwiceItsRadius() throws {
        let zone = PrivacyZone(name: "home", centre: try place(0, 0), radiusMetres: 250)
        #expect(zone.mayHide(try .circle(centre: place(0, 0), radiusMetres: 150)))
        #expect(zone.mayHide(try .circle(centre: place(300, 0), radiusMetres: 190)))
        #expect(!zone.mayHide(try .circle(centre: place(300, 0), radiusMetres: 210)))
        #expect(zone.mayHide(try .polygon([square(340)])))
        #expect(!zone.mayHide(try .polygon([square(370)])))
        #expect(zone.mayHide(try .corridor([place(0, -300), place(0, 300)], widthMetres: 380)))
        #expect(!zone.mayHide(try .corridor([place(0, -300), place(0, 300)], widthMetres: 420)))
    }
}
