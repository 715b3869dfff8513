import Waypost
import WaypostSystem

/// A kind of source, `SCHEME:REST`: how its URLs look and are read, what it is good for, and how the source is made.
///
/// A kind is one file beside its source and one line in ``SourceRegistry``. Its value is the content of one URL. Help, the configuration
/// reference, errors, completion and the tracker get everything from here.
package protocol SourceKind: Hashable, Sendable {
    /// What its URLs begin with, without the colon: `gpsd`.
    static var scheme: String { get }
    /// How its URLs look, options in brackets: `gpsd://HOST:PORT[/DEVICE]`.
    static var forms: [String] { get }
    /// What the kind is, for help and the reference, without a full stop: `a gpsd`.
    static var documentation: String { get }
    /// Whether its fixes may set a clock: they are measured now, by a receiver.
    static var isClock: Bool { get }
    /// Whether it plays something that can be made stationary, put into a loss and restarted.
    static var isPlayed: Bool { get }
    /// The keys of `[[source]]` besides `url` that it uses.
    static var keys: Set<String> { get }

    /// Reads what follows the scheme and its colon.
    init(afterScheme text: Substring) throws(SourceURLError)
    /// The inverse of the initializer; it reads back as the same value.
    var afterScheme: String { get }
    /// The file that it reads; nil when it reads none.
    var file: String? { get }
    /// Opens the file that it reads and reads to where playing would begin, with the code of the source.
    ///
    /// - Parameter path: where the file is now, as in a saved system.
    /// - Errors: those with which the source itself would end.
    func tryFile(at path: String) throws(PositionSourceError)
    /// Reads the file as far as it can be read, or as far as ``RecordingTrial`` reads; what is found in one line, nil when all is well.
    ///
    /// - Parameter path: where the file is now; an ordinary file.
    func remark(onFileAt path: String) throws(SystemError) -> String?
    /// Makes the source; nothing is opened yet.
    func makeSource(_ settings: SourceSettings) -> any PositionSource
}

extension SourceKind {
    /// Its fixes may not set a clock.
    package static var isClock: Bool { false }
    /// It does not play anything.
    package static var isPlayed: Bool { false }
    /// None.
    package static var keys: Set<String> { [] }
    /// None.
    package var file: String? { nil }
    /// There is none.
    package func tryFile(at path: String) throws(PositionSourceError) {}
    /// There is none.
    package func remark(onFileAt path: String) throws(SystemError) -> String? { nil }

    func isEqual(to other: any SourceKind) -> Bool { other as? Self == self }
}

/// What a source is made with, besides its URL.
package struct SourceSettings: Sendable {
    /// The last good speeds of serial lines.
    package var memory: BaudMemory
    /// The ports on which gpsds of this machine listen, whose receivers a serial source leaves alone.
    package var gpsdPorts: [UInt16]
    /// Whether nothing is ever sent to a receiver.
    package var neverWrites: Bool
    /// The user whose gpsd on this machine is trusted besides root's and gpsd's own; nil for none.
    package var gpsdUser: String?

    /// Settings from their parts.
    package init(
        memory: BaudMemory = BaudMemory(), gpsdPorts: [UInt16] = [GPSDKind.usualPort], neverWrites: Bool = false, gpsdUser: String? = nil
    ) {
        (self.memory, self.gpsdPorts, self.neverWrites, self.gpsdUser) = (memory, gpsdPorts, neverWrites, gpsdUser)
    }
}
