extension TestFolder {
    /// Writes `fences.geojson` with a fence "Gate", into which a ``SimulatedReceiver`` drives and out of which it drives within 40 epochs, and
    /// `w.toml`, which sends its events to that server.
    ///
    /// - Parameters:
    ///   - interval: that of the destination, in seconds; 0 sends on demand.
    ///   - settings: what stands before these sections.
    func writeGate(sendingTo url: String, interval: Int = 0, settings: String = "") throws {
        try write(
            #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                + #"[8.541407,47.378954]},"properties":{"name":"Gate","radius":60}}]}"#, to: "fences.geojson")
        try write(
            settings + "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
                + "[[destination]]\nname = \"home\"\nurl = \"\(url)\"\ninterval = \(interval)\ntimeout = 5\n", to: "w.toml")
    }
}
