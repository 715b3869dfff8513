import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

/// The answers from the command line; a question whose answer is nil is asked.
struct SetupOptions {
    /// `--receiver`.
    var sources: [Configuration.Source]?
    /// `--send`, with `--password-file` and `--token-file`.
    var destinations: [DestinationConfiguration]?
    /// `--units`.
    var units: UnitSystem?
    /// `--home`.
    var zones: [PrivacyZone]?
    /// `--fences`.
    var fences: Fences?

    /// A fence file, or none.
    struct Fences: Equatable {
        var path: String?
    }

    /// Whether all questions are answered.
    var isComplete: Bool { sources != nil && destinations != nil && units != nil && zones != nil && fences != nil }
    /// Whether any is.
    var isEmpty: Bool { sources == nil && destinations == nil && units == nil && zones == nil && fences == nil }

    /// The former answers, replaced by these where given.
    func over(_ former: SetupAnswers) -> SetupAnswers {
        var answers = former
        if let sources { answers.sources = sources }
        if let destinations { answers.destinations = destinations }
        if let units { answers.units = units }
        if let zones { answers.zones = zones }
        if let fences { answers.fences = fences.path }
        return answers
    }

    /// The absolute path of a fence file: the tracker has another working folder.
    static func fencePath(_ text: String) throws(SetupProblem) -> String {
        do throws(SystemError) { return try Syscalls.absolutePath(text) } catch {
            throw SetupProblem("\(text): \(error.reason); write the path of a fence file")
        }
    }

    /// Refuses a file that the tracker could not read: the service runs as its own user, who may not read homes.
    ///
    /// - Parameter folder: a folder of that user.
    static func refuseUnreadable(_ path: String, byOwnerOf folder: String) throws(SetupProblem) {
        var isReadable = true
        do throws(SystemError) {
            try ProcessIdentity.actAsOwner(ofFolder: folder)
            do throws(SystemError) { Syscalls.close(try Syscalls.openForReading(path)) } catch { isReadable = false }
            try ProcessIdentity.actAsItself()
        } catch {
            throw SetupProblem("\(path): cannot be tried as the tracker's user: \(error.reason)")
        }
        if isReadable { return }
        throw SetupProblem(
            "\(path): the tracker's user may not read it; sudo install -m 644 \(shellWord(path)) /etc/waypost/, and name the copy")
    }

    /// Refuses recordings that are not there or that the tracker could not read.
    ///
    /// - Parameter folder: a folder of the tracker's user; nil when it is the user of this command.
    static func checkRecordings(of sources: [Configuration.Source], forOwnerOf folder: String?) throws(SetupProblem) {
        for path in sources.compactMap(\.url.kind.file) where path != "-" {
            if Syscalls.kind(path) == .missing { throw SetupProblem("\(path): there is no such file") }
            if let folder { try refuseUnreadable(path, byOwnerOf: folder) }
        }
    }

    /// How many fences a file has.
    static func countFences(_ path: String) throws(SetupProblem) -> Int {
        if Syscalls.isFolder(path) { return 0 }
        let bytes: [UInt8]
        do throws(CommandFailure) { bytes = try FenceInput(path: path).bytes() } catch {
            throw SetupProblem(String(error.line.dropFirst("waypost: ".count)))
        }
        let count: Int
        do throws(FenceFileError) { count = try FenceFormat.read(bytes).fences.count } catch {
            throw SetupProblem("\(path): \(error.description)")
        }
        if count > 0 { return count }
        throw SetupProblem("\(path) holds no usable fence; waypost fences check says why")
    }
}
