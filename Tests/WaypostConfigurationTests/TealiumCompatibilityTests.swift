import Testing
import Waypost

@testable import WaypostConfiguration

/// The mode rule of Tealium's Location module: significant changes unless fences are tracked and high accuracy is on.
@Suite struct TealiumCompatibilityTests {
    private func selection(_ text: String) throws -> PositionSelection.Options { try readConfiguration(text).configuration.selection }

    @Test(arguments: [
        ("compatibility = \"tealium\"\n[geofences]\nfile = \"/etc/fences.json\"", false),
        ("compatibility = \"tealium\"\n[geofences]\nurl = \"https://fences.example/f.json\"", false),
        ("compatibility = \"tealium\"", true),
        ("compatibility = \"tealium\"\nhigh_accuracy = false\n[geofences]\nfile = \"/etc/fences.json\"", true),
        ("compatibility = \"none\"\nhigh_accuracy = false\n[geofences]\nfile = \"/etc/fences.json\"", true),
        ("compatibility = \"none\"", false),
    ]) func followsAsTheModuleDoes(text: String, isSignificantOnly: Bool) throws {
        #expect(try selection("[tracking]\n\(text)\n").isSignificantOnly == isSignificantOnly)
    }

    @Test(
        arguments: [
            ("compatibility = \"tealium\"", .reduced), ("compatibility = \"tealium\"\naccuracy = \"nearestTenMeters\"", .nearestTenMeters),
            ("accuracy = \"nearestTenMeters\"\ncompatibility = \"tealium\"", .nearestTenMeters), ("compatibility = \"none\"", .best),
            ("compatibility = \"tealium\"\naccuracy = \"best\"", .best),
        ] as [(String, DesiredAccuracy)]) func hasTheLevelOfTheModuleUnlessItIsSet(text: String, level: DesiredAccuracy) throws
    {
        #expect(try selection("[tracking]\n\(text)\n").accuracy == level)
    }
}
