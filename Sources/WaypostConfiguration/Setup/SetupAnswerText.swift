import Waypost
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

/// Why an answer is not accepted, with the valid forms.
package struct SetupProblem: Error, Equatable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// A problem.
    package init(_ description: String) {
        self.description = description
    }
}

/// The answers of `waypost setup` as people write them.
package enum SetupAnswerText {
    /// The word for no answer.
    package static let none = "none"

    /// The forms of a receiver.
    package static let receiverForms = "auto, gpsd, a port such as /dev/ttyUSB0, or a source URL such as nmea-tcp://boat:10110"
    /// The forms of a place to send to.
    package static let sendForms = "https://HOST/PATH, mqtt://[USER@]HOST, traccar:http://HOST:5055/ or owntracks:mqtts://USER@HOST"
    /// The forms of units.
    package static let unitForms = "metric, imperial or nautical"
    /// The forms of a home.
    package static let homeForms = "LATITUDE,LONGITUDE[,RADIUS], such as 52.51702,13.38886,250m"

    /// The radius of a home without one, metres.
    private static let usualRadiusMetres = 250.0

    /// The sources that a receiver's name stands for; none for `none`.
    package static func sources(_ text: String) throws(SetupProblem) -> [Configuration.Source] {
        switch text {
        case none: return []
        case "auto": return [.init(url: SourceURL(GPSDKind())), .init(url: SourceURL(SerialKind(.automatic)))]
        case "gpsd": return [.init(url: SourceURL(GPSDKind()))]
        case _ where text.hasPrefix("/dev/"): return [.init(url: SourceURL(SerialKind(.path(text))))]
        default: break
        }
        do throws(SourceURLError) { return [.init(url: try SourceURL(text))] } catch {
            throw SetupProblem("\(error.description); write \(receiverForms)")
        }
    }

    /// The text that stands for the sources: `auto`, or their URLs.
    package static func text(_ sources: [Configuration.Source]) -> String {
        if sources.isEmpty { return none }
        // The same list that `auto` stands for.
        if let automatic = try? SetupAnswerText.sources("auto"), automatic == sources { return "auto" }  // It is read.
        return sources.map(\.url.description).joined(separator: " ")
    }

    /// The destinations that are named, each with its own name; none for `none`.
    ///
    /// - Parameter former: those of the previous run. Entries wait under a name: the same server keeps its own, also one whose address is corrected on its
    ///   host, and another server gets one that none had, so that it does not get what waits for others.
    package static func destinations(
        _ words: [String], former: [DestinationConfiguration] = []
    ) throws(SetupProblem) -> [DestinationConfiguration] {
        var destinations: [DestinationConfiguration] = []
        for word in words where word != none { destinations.append(try destination(word)) }
        var names = [String?](repeating: nil, count: destinations.count)
        for isSame in [DestinationConfiguration.hasAddress, DestinationConfiguration.isOnHost] {
            for index in destinations.indices where names[index] == nil {
                names[index] = former.first { !names.contains($0.name) && isSame($0)(destinations[index]) }?.name
            }
        }
        for index in destinations.indices {
            let name = names[index] ?? newName(destinations[index].kindName, besides: former.map(\.name) + names.compactMap(\.self))
            (destinations[index].name, names[index]) = (name, name)
        }
        return destinations
    }

    /// The kind, with a number behind all that such names have.
    private static func newName(_ kind: String, besides names: [String]) -> String {
        let numbers = names.compactMap { name in
            name == kind ? 1 : name.hasPrefix(kind + "-") ? Int32(name.dropFirst(kind.utf8.count + 1)).map(Int.init) : nil
        }
        return numbers.max().map { "\(kind)-\($0 + 1)" } ?? kind
    }

    private static func destination(_ word: String) throws(SetupProblem) -> DestinationConfiguration {
        var destination = DestinationConfiguration()
        var url = word
        if let kind = DestinationRegistry.all.first(where: { word.hasPrefix($0.name + ":") && !word.hasPrefix($0.name + "://") }) {
            destination.kindName = kind.name
            url = String(word.dropFirst(kind.name.utf8.count + 1))
        } else {
            destination.kindName = usualKind(of: word)
        }
        if let more = destination.kindType.needsBesides {
            let key = more.split(separator: " ").last ?? ""
            throw SetupProblem(
                "\(destination.kindName) needs \(more), too; write it into a file of conf.d: see waypost config explain \(key)")
        }
        destination.name = destination.kindName
        (destination.url, destination.user) = try withoutUser(url)
        let node = TOMLNode(value: .string(destination.url), place: TextPlace(line: 1, column: 1))
        do throws(ValueProblem) { destination.url = try ValueKind<String>.serverURL.read(node) } catch {
            guard case .invalid(let reason) = error else { throw SetupProblem("write \(sendForms)") }
            // A server here may also be a broker, or have a kind as its prefix.
            if reason.hasPrefix("must begin") { throw SetupProblem("\(quoted(url)) is not a server address; write \(sendForms)") }
            throw SetupProblem("\(quoted(url)) \(reason); write \(sendForms)")
        }
        if destination.url.isEmpty { throw SetupProblem("no server is named; write \(sendForms)") }
        // The question for the user name may still follow.
        var complete = destination
        if complete.user.isEmpty { complete.user = "user" }
        if let fault = complete.fault { throw SetupProblem("\(fault.key) \(fault.reason)") }
        return destination
    }

    /// The kind of a server that is given by its URL only.
    private static func usualKind(of url: String) -> String { url.lowercased().hasPrefix("mqtt") ? MQTTKind.name : HTTPKind.name }

    /// Splits `mqtt://USER@HOST` into its parts.
    private static func withoutUser(_ url: String) throws(SetupProblem) -> (url: String, user: String) {
        guard let slashes = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last, slashes.count < url.count else {
            return (url, "")
        }
        let authority = slashes.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return (url, "") }
        let user = authority[..<at]
        guard !user.contains(":") else {
            throw SetupProblem(
                "a password has no place in a URL, which messages show; write the user alone, and the password when it is asked for")
        }
        return (String(url[..<authority.startIndex] + url[url.index(after: at)...]), String(user))
    }

    /// The opposite of ``withoutUser(_:)``.
    private static func withUser(_ url: String, _ user: String) -> String {
        guard !user.isEmpty, let slashes = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last else {
            return url
        }
        return url[..<slashes.startIndex] + "\(user)@" + slashes
    }

    /// How this device has to be registered at a server, and how that is changed; nil where it need not be.
    ///
    /// - Parameter device: what the device is called where the destination does not say.
    package static func registration(at destination: DestinationConfiguration, device: String) -> String? {
        guard let word = destination.kindType.registrationWord else { return nil }
        let name = destination.device.isEmpty ? device : destination.device
        return "add a device with the \(word) \(quoted(name)) at the server; to use another \(word), "
            + "set device under [dispatch] in a file of conf.d (waypost config explain dispatch.device)"
    }

    /// The text that stands for the destinations.
    package static func text(_ destinations: [DestinationConfiguration]) -> String {
        if destinations.isEmpty { return none }
        return destinations.map { destination in
            let (kind, url) = (destination.kindName, withUser(destination.url, destination.user))
            return kind == usualKind(of: url) ? url : "\(kind):\(url)"
        }.joined(separator: " ")
    }

    /// The units with that name, or whose name begins with it.
    package static func units(_ text: String) throws(SetupProblem) -> UnitSystem {
        let found = UnitSystem.allCases.filter { !text.isEmpty && $0.rawValue.hasPrefix(text.lowercased()) }
        // None means the units that need no line in the file.
        if text == none { return .metric }
        guard found.count == 1 else { throw SetupProblem("\(quoted(text)) is not a system of units; write \(unitForms)") }
        return found[0]
    }

    /// The zone around a home; none for `none`.
    package static func zones(_ text: String) throws(SetupProblem) -> [PrivacyZone] {
        if text == none { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
        guard (2...3).contains(parts.count), let latitude = Double(parts[0]), let longitude = Double(parts[1]) else {
            throw SetupProblem("\(quoted(text)) is not a place; write \(homeForms)")
        }
        guard let centre = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw SetupProblem("that is not on the Earth: the latitude is from -90 to 90, the longitude from -180 to 180")
        }
        let radius = parts.count == 3 ? try? DistanceText.parse(parts[2]) : usualRadiusMetres  // The message lists the valid forms.
        guard let radius, (PrivacyZone.smallestRadiusMetres...PrivacyZone.largestRadiusMetres).contains(radius) else {
            throw SetupProblem("the radius is from 50 m to 100 km; write \(homeForms)")
        }
        return [PrivacyZone(name: "home", centre: centre, radiusMetres: radius)]
    }

    /// The text that stands for the zones.
    package static func text(_ zones: [PrivacyZone]) -> String {
        guard let zone = zones.first else { return none }
        if zones.count > 1 { return "\(zones.count) zones" }
        return "\(zone.centre.latitudeDegrees),\(zone.centre.longitudeDegrees),\(DistanceText.text(zone.radiusMetres))"
    }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate func trimmingSpaces() -> String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

extension DestinationConfiguration {
    /// Whether another destination of the kind has the same address.
    fileprivate func hasAddress(_ other: DestinationConfiguration) -> Bool { kindName == other.kindName && url == other.url }

    /// Whether another destination of the kind is on the same host, with whatever scheme, port and path.
    package func isOnHost(_ other: DestinationConfiguration) -> Bool { kindName == other.kindName && host == other.host }
}
