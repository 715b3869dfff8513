/// One client of the gpsd protocol: what it has asked for, and the answers.
///
/// The protocol is gpsd's of release 3.22 (3.14), as its clients were seen to use it: cgps, gpspipe, gpxlogger and gpsmon, Python's gps, gps3
/// and gpsd-py3, Kismet, Home Assistant. What it has to be careful about stands with the parts: ``GPSDRequestReader`` for the
/// forms of requests, ``GPSDWriter`` for those of messages.
///
/// - Every answer is a line of its own, to be written on its own: gps3 keeps only one line of each read.
/// - It changes no receiver: `?DEVICE={..}` is answered with the device as it is.
/// - A client may ask for a device by any of its names; for any other it gets gpsd's error, and no reports.
/// - Cost: at most ``answersAtOnce`` answers for a call, so that requests that come together do not grow into a flood.
/// - Concurrency: a value; one for each connection.
package struct GPSDConversation: Sendable {
    /// The most requests that one call answers.
    package static let answersAtOnce = 16

    /// What the client gets.
    package private(set) var watch = GPSDWatch()
    /// Whether there may be requests that have come and are not answered yet: call ``process(_:showing:version:at:)`` again, without bytes,
    /// before more is read.
    package private(set) var isBehind = false
    private var reader = GPSDRequestReader()

    /// A client that has just connected; it is greeted with ``GPSDWriter/version(_:)``.
    package init() {}

    /// Takes what the client has sent and returns the answers, one line each.
    ///
    /// - Parameters:
    ///   - bytes: what has come since the last call, cut anywhere.
    ///   - state: what is known and may be told.
    ///   - version: our own version.
    ///   - now: the time by this machine's clock.
    package mutating func process(_ bytes: Span<UInt8>, showing state: SharedState, version: String, at now: UTCTime) -> [[UInt8]] {
        reader.append(bytes)
        var lines: [[UInt8]] = []
        for _ in 0..<GPSDConversation.answersAtOnce {
            guard let item = reader.next() else {
                isBehind = false
                return lines
            }
            switch item {
            case .request(let request): lines += answers(to: request, state, version, now)
            case .unreadable(let bytes): lines.append(GPSDWriter.error("Unrecognized request '\(text(bytes))'"))
            case .tooLong:
                lines.append(GPSDWriter.error("Request longer than \(GPSDRequestReader.limit) bytes"))
            }
        }
        isBehind = true
        return lines
    }

    private mutating func answers(
        to request: GPSDRequestReader.Request, _ state: SharedState, _ version: String, _ now: UTCTime
    ) -> [[UInt8]] {
        let writer = GPSDWriter(device: state.device)
        switch (request.name, request.argument) {
        case ("VERSION", nil): return [GPSDWriter.version(version)]
        case ("DEVICES", nil): return [writer.devices(heardAt: state.heardAt)]
        case ("DEVICE", nil): return [writer.device(heardAt: state.heardAt)]
        case ("POLL", nil): return [writer.poll(state, isWatching: watch.isOn, at: now)]
        case ("WATCH", nil): return watchAnswers(writer, state)
        case ("WATCH", let argument?):
            switch object(argument) {
            case .failure(let error):
                return [GPSDWriter.error("Invalid WATCH: \(error.reason)")] + watchAnswers(writer, state)
            case .success(let settings):
                if let device = settings["device"]?.string, !device.isEmpty, !state.isDevice(device) {
                    return [GPSDWriter.error("No such device as \(text(device.utf8))")]
                }
                watch.apply(settings)
                return watchAnswers(writer, state)
            }
        case ("DEVICE", let argument?):
            switch object(argument) {
            case .failure(let error): return [GPSDWriter.error("Invalid DEVICE: \(error.reason)")]
            case .success(let settings):
                guard let path = settings["path"]?.string, !state.isDevice(path) else { return [writer.device(heardAt: state.heardAt)] }
                return [GPSDWriter.error("Can't open \(text(path.utf8)).")]
            }
        default:
            return [GPSDWriter.error("Unrecognized request '?\(text(request.name.utf8))'")]
        }
    }

    private func watchAnswers(_ writer: GPSDWriter, _ state: SharedState) -> [[UInt8]] {
        [writer.devices(heardAt: state.heardAt), writer.watch(watch)]
    }

    /// Why an argument is no object of settings.
    private struct Problem: Error {
        var reason: String
    }

    private func object(_ argument: [UInt8]) -> Result<[String: JSONValue], Problem> {
        do throws(JSONError) {
            guard
                case .object(let members) = try JSONParser(maximumDepth: 8, maximumBytes: GPSDRequestReader.limit + 1).parse(argument.span)
            else { return .failure(Problem(reason: "not an object")) }
            return .success(members)
        } catch {
            return .failure(Problem(reason: "\(error)"))
        }
    }

    /// What a client has sent, as it may be sent back: short, and printable.
    private func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix(128).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
