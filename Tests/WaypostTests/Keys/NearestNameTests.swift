import Testing
import Waypost

@Suite struct NearestNameTests {
    private let known = ["directory", "sync_interval", "url", "socket", "password_file"]

    @Test(arguments: [
        ("sync_intervall", "sync_interval"), ("syncInterval", "sync_interval"), ("SYNC-INTERVAL", "sync_interval"),
        ("sync_intreval", "sync_interval"), ("dir", nil), ("directroy", "directory"), ("ulr", "url"), ("uri", "url"), ("soket", "socket"),
        ("", nil), ("x", nil), ("retention", nil), ("password", "password_file"), ("passwd", nil),
        (String(repeating: "sync_interval", count: 100_000), nil),
    ])
    func suggestsOnlyWhatIsNear(unknown: String, suggestion: String?) {
        #expect(nearestName(to: unknown, among: known) == suggestion)
    }
}
