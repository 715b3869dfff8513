import Waypost
import WaypostConfiguration
import WaypostSystem

/// The fences that lie where a privacy zone hides positions: there no event is reported, so they are silent, which is easily taken for a failure.
struct HiddenFences {
    private let zones: [PrivacyZone]

    /// How many fences of a file are named.
    private static let mostNamed = 3

    init(_ zones: [PrivacyZone]) {
        self.zones = zones
    }

    /// The zones of the configuration in use; none where this user may not read it.
    static var configured: HiddenFences {
        let loaded = try? Configuration.load(path: nil, paths: .inUse)  // Nothing depends on a remark.
        return HiddenFences(loaded?.configuration.privacy.zones ?? [])
    }

    /// What is to say of these fences, a line each; the file's name, if any, comes first.
    func remarks(on fences: [Geofence], of file: String? = nil) -> [String] {
        let place = file.map { "\($0): " } ?? ""
        let hidden = fences.compactMap { fence in zones.first { $0.mayHide(fence.shape) }.map { (fence, $0) } }
        let named = hidden.prefix(HiddenFences.mostNamed).map { fence, zone in
            """
            \(place)fence \(quoted(fence.name)) lies where the privacy zone \(quoted(zone.name)) hides positions, so it may never report; make the \
            zone smaller, or the fence reach four times as far as the zone
            """
        }
        let more = hidden.count - named.count
        return named + (more > 0 ? ["\(place)and so \(more == 1 ? "does" : "do") \(counted(more, "more fence"))"] : [])
    }

    /// What is to say of the fences of a file; nothing of one that cannot be read, which others say.
    func remarks(onFile path: String) -> [String] {
        guard !zones.isEmpty, let bytes = try? FenceInput(path: path).bytes(),  // See above.
            let file = try? FenceFormat.read(bytes)  // See above.
        else { return [] }
        return remarks(on: file.fences, of: path)
    }
}

extension DaemonConnection {
    /// Tells which fences may never report.
    ///
    /// The zones of a tracker behind a socket that was named are not known.
    func tellHidden(_ fences: [Geofence]) {
        if namedSocket != nil { return }
        for remark in HiddenFences.configured.remarks(on: fences) { SystemProcess.printError("waypost: \(remark)") }
    }
}
