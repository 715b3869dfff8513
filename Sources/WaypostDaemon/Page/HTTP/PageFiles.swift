import Waypost
import WaypostSystem

/// The files of the page: those in its folder, and Leaflet's from Debian's package.
///
/// They are found by the names that are in the folders, so that no path leads elsewhere.
struct PageFiles: Sendable {
    /// The folder of the page; nil when it is not installed.
    let folder: String?
    private let disk: PageDisk
    private let names: Set<String>

    /// Where Debian's libjs-leaflet has its files.
    private static let leafletFolder = "/usr/share/javascript/leaflet"
    private static let leafletNames: Set<String> = ["leaflet.esm.min.js", "leaflet.css"]

    init(folder: String?, disk: PageDisk) {
        (self.folder, self.disk) = (folder, disk)
        let found = folder.flatMap { try? Syscalls.names(inFolder: $0) } ?? []  // A folder that cannot be read has no files for us.
        names = Set(found.filter { PageFiles.type(of: $0) != nil })
    }

    /// Whether Leaflet is installed.
    var hasLeaflet: Bool { PageFiles.leafletNames.allSatisfy { Syscalls.exists("\(PageFiles.leafletFolder)/\($0)") } }

    /// The folder of the page for a program: in the checkout that it was built in, or in the `share` beside its `bin`.
    static func folder(ofProgram path: String?) -> String? {
        guard let path else { return nil }
        var parents = path.split(separator: "/").dropLast().map(String.init)
        while true {
            let parent = parents.isEmpty ? "" : "/" + parents.joined(separator: "/")
            for place in ["\(parent)/Config/page", "\(parent)/share/waypost/page"] where Syscalls.exists(place + "/index.html") {
                return place
            }
            if parents.popLast() == nil { return nil }
        }
    }

    /// The frame of the page; nil when it is not installed.
    func frame() async -> [UInt8]? {
        guard let folder else { return nil }
        return await disk.contents(of: folder + "/index.html")
    }

    /// The file of a path; nil when there is none.
    ///
    /// - Parameters:
    ///   - request: says which one the browser has already.
    func answer(_ request: BrowserRequest) async -> PageAnswer? {
        let name = String(request.path.dropFirst())
        if let folder, names.contains(name), name != "index.html" { return await answer(folder, name, request) }
        let prefix = "leaflet/"
        guard name.hasPrefix(prefix), PageFiles.leafletNames.contains(String(name.dropFirst(prefix.count))) else { return nil }
        return await answer(PageFiles.leafletFolder, String(name.dropFirst(prefix.count)), request)
    }

    private func answer(_ folder: String, _ name: String, _ request: BrowserRequest) async -> PageAnswer? {
        let path = "\(folder)/\(name)"
        let packed = request.takesGzip ? await disk.contents(of: path + ".gz") : nil
        let plain = packed == nil ? await disk.contents(of: path) : nil
        guard let bytes = packed ?? plain, let type = PageFiles.type(of: name) else { return nil }
        var hash = SHA256()
        hash.update(bytes.span.bytes)
        let tag = "\"" + SHA256.hexadecimal(hash.finish()).prefix(16) + "\""
        var answer = PageAnswer(type: type, body: .bytes(bytes), headers: [("ETag", tag), ("Vary", "Accept-Encoding")], isKept: true)
        if packed != nil { answer.headers.append(("Content-Encoding", "gzip")) }
        if request["if-none-match"] == tag { (answer.status, answer.body) = (304, .bytes([])) }
        return answer
    }

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": PageAnswer.html
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: nil
        }
    }
}
