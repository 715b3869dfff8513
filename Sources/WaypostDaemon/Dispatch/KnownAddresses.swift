import Waypost
import WaypostDispatch
import WaypostSystem

/// The address that each destination had in the last run, in the file `addresses` of the state folder.
///
/// ```
/// {"mqtt":"mqtt mqtts://broker.example.org:8883"}
/// ```
/// A file that cannot be read or written is like one that is not there: nothing is said about a change then.
struct KnownAddresses {
    private let path: String

    private static let byteLimit = 1 << 20

    init(folder: String) {
        path = folder + "/addresses"
    }

    /// The kind and the server of a destination, without a query, which may be secret; its URL has no password.
    static func address(of destination: DestinationConfiguration) -> String {
        "\(destination.kindName) \(destination.url.prefix { $0 != "?" && $0 != "#" })"
    }

    /// What people should know when a queue goes to another server.
    ///
    /// The path of a URL is not shown: some servers have their token there.
    static func words(_ name: String, _ count: Int, to address: String, from old: String) -> String {
        let (go, them) = count == 1 ? ("goes", "it") : ("go", "them")
        let (new, before) = (server(of: address), server(of: old))
        let place = new == before ? "\(new), with another path" : "\(new) (was \(before))"
        return """
            \(counted(count, "record")) from before \(go) to \(name) at \(place): \
            waypost dispatch discard \(name) to drop \(them)
            """
    }

    /// An address up to the path of its URL.
    private static func server(of address: String) -> Substring {
        var slashes = 0
        return address.prefix { character in
            if character == "/" { slashes += 1 }
            return slashes < 3
        }
    }

    func read() -> [String: String] {
        let bytes = try? Syscalls.contents(of: path, limit: KnownAddresses.byteLimit, as: .own)  // See above.
        guard let bytes, let found = (try? JSONParser().parse(bytes))?.object else { return [:] }  // See above.
        return found.compactMapValues(\.string)
    }

    func write(_ addresses: [String: String]) {
        var json = JSONWriter()
        json.object { json in json.members(addresses.mapValues { .string($0) }) }
        try? AtomicFile.write(json.text.bytes + [UInt8(ascii: "\n")], to: path, mode: 0o600)  // See above.
    }
}
