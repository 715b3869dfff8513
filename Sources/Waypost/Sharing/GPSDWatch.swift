/// What a client of the gpsd protocol wants, as its `?WATCH` requests say; each changes only what it names.
///
/// - Source: gpsd 3.22 as measured: `enable` is true unless it is said to be anything but true; a setting stays until it is changed.
package struct GPSDWatch: Sendable, Equatable {
    /// Whether anything is sent, and a poll is answered with what is known.
    package private(set) var isOn = false
    /// Whether JSON is wanted.
    private(set) var wantsJSON = false
    /// Whether NMEA is wanted.
    private(set) var wantsNMEA = false
    /// How raw the receiver's data shall be: from 1 on, NMEA.
    private(set) var rawLevel = 0
    /// Settings that only matter for data that we have not; they are remembered and told.
    private(set) var isScaled = false
    private(set) var showsTiming = false
    private(set) var splitsMessages = false
    private(set) var wantsPPS = false
    /// The only device asked for; nil for all.
    private(set) var device: String?

    /// Whether reports are sent as JSON.
    package var sendsJSON: Bool { isOn && wantsJSON }
    /// Whether reports are sent as NMEA.
    package var sendsNMEA: Bool { isOn && (wantsNMEA || rawLevel > 0) }

    /// Nothing is wanted.
    init() {}

    /// Takes the settings of a request.
    mutating func apply(_ settings: [String: JSONValue]) {
        isOn = settings["enable"].map { $0 == .bool(true) } ?? true
        take("json", &wantsJSON)
        take("nmea", &wantsNMEA)
        take("scaled", &isScaled)
        take("timing", &showsTiming)
        take("split24", &splitsMessages)
        take("pps", &wantsPPS)
        if let level = settings["raw"]?.int { rawLevel = min(max(level, 0), 2) }
        if let path = settings["device"]?.string { device = path.isEmpty ? nil : path }

        func take(_ name: String, _ setting: inout Bool) {
            if let value = settings[name] { setting = value == .bool(true) }
        }
    }
}
