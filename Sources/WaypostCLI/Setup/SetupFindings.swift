import Waypost
import WaypostConfiguration
import WaypostPositioning

/// What `waypost setup` finds before it asks: receivers, gpsd, the user.
struct SetupFindings: Equatable {
    /// What was found of a receiver, as a sentence.
    var receiverWords = "No known receiver is plugged in."
    /// The resulting sources.
    var sources = SetupFindings.automatic
    /// The user's name.
    var userName = "user"

    /// gpsd, then any known receiver: the sources that need no name.
    private static var automatic: [Configuration.Source] {
        [.init(url: SourceURL(GPSDKind())), .init(url: SourceURL(SerialKind(.automatic)))]
    }

    /// Nothing found.
    init() {}

    /// The findings from the doctor's facts and the existing configuration.
    init(_ facts: SystemFacts, others: LoadedConfiguration, userName: String?) {
        if let userName { self.userName = userName }
        if let origin = others.origins["[[source]] url"] {
            let urls = others.configuration.sources.map { oneLine($0.url.description, limit: 200) }
            receiverWords = "\(origin.file):\(origin.place.line) names \(urls.joined(separator: ", ")); none keeps it."
            sources = []
            return
        }
        let lines = facts.lines ?? []
        let candidates = lines.filter { $0.possibleReceiver != nil }
        if facts.gpsd.isRunning, let device = facts.gpsd.devices.first {
            receiverWords = "Found: gpsd, with \(oneLine(device, limit: 200))."
        } else if let known = lines.first(where: \.isKnownGNSS) {
            receiverWords = "Found: \(known.knownReceiver ?? "one") at \(known.path)."
        } else if let candidate = candidates.first {
            let path = candidate.byIDNames.first ?? candidate.path
            receiverWords = "Possibly a receiver: \(oneLine(path, limit: 200)) (\(candidate.possibleReceiver ?? "USB"))."
            // Opening another device could reset it, so the user is asked about the only candidate.
            if candidates.count == 1 { sources = [.init(url: SourceURL(SerialKind(.path(path))))] }
        }
    }
}
