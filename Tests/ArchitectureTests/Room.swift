/// One target under `Sources/` and what it may stand on.
///
/// The arrows of the architecture as data: a new arrow is a line here, to be argued for, before it is an import.
struct Room: Sendable {
    /// The target, its folder and its module.
    var name: String
    /// How high it stands; an import leads to a lower floor, never sideways.
    var floor: Int
    /// Targets of this package: exactly what the manifest declares.
    var targets: Set<String> = []
    /// Products of other packages: exactly what the manifest declares.
    var products: Set<String> = []
    /// Modules that come with the toolchain, which the manifest does not name.
    var toolchain: Set<String> = []
    /// Functions that may be imported one by one from a module that is closed otherwise, as `import func Glibc.sin`.
    var functions: [String: Set<String>] = [:]

    /// What is wrong with this import in this file; nil when it is allowed.
    func objection(to found: SourceImport, in file: String) -> String? {
        let module = found.module
        if module == "Swift" || targets.contains(module) || products.contains(module) || toolchain.contains(module) { return nil }
        if found.kind == "func", found.path.count == 2, functions[module, default: []].contains(found.path[1]) { return nil }
        return "\(name)/\(file):\(found.line): \(name) may not import \(found.path.joined(separator: "."))"
    }
}

extension Room {
    /// Every target under `Sources/`.
    static let all: [Room] = [
        // The domain, pure: the standard library and the mathematical functions.
        Room(name: "Waypost", floor: 0, functions: ["Glibc": mathematics]),

        // The one place that talks to libc and the system.
        Room(
            name: "WaypostSystem", floor: 1,
            targets: [
                "Waypost", "CTaskPool", "CClock", "CMapping", "CProcess", "CSQLite", "CCurl", "CZlib", "CSodium", "CMosquitto", "CCurses",
            ],
            products: ["DequeModule", "HeapModule"],
            toolchain: ["Glibc", "Musl", "Synchronization", "_Concurrency"]),

        // Shims over C libraries and over what of the system only C can call.
        Room(name: "CTaskPool", floor: 0),
        Room(name: "CClock", floor: 0),
        Room(name: "CMapping", floor: 0),
        Room(name: "CProcess", floor: 0),
        Room(name: "CScalarNames", floor: 0),
        Room(name: "CLibrary", floor: -1),
        Room(name: "CSQLite", floor: 0, targets: ["CLibrary"]),
        Room(name: "CCurl", floor: 0, targets: ["CLibrary"]),
        Room(name: "CZlib", floor: 0, targets: ["CLibrary"]),
        Room(name: "CSodium", floor: 0, targets: ["CLibrary"]),
        Room(name: "CMosquitto", floor: 0, targets: ["CLibrary"]),
        Room(name: "CCurses", floor: 0, targets: ["CLibrary"]),
        Room(name: "CGPSD", floor: 1),
        Room(name: "CTOML", floor: 1),
        Room(name: "COsmium", floor: 1),

        // They never import each other; only WaypostKit and the two programs join them.
        Room(
            name: "WaypostPositioning", floor: 2, targets: ["Waypost", "WaypostSystem", "CGPSD"], products: ["NIOCore", "NIOPosix"],
            toolchain: ["Synchronization"]),
        Room(name: "WaypostRecording", floor: 2, targets: ["Waypost", "WaypostSystem"], toolchain: ["Synchronization"]),
        Room(name: "WaypostGeofences", floor: 2, targets: ["Waypost", "WaypostSystem"], toolchain: ["Synchronization"]),
        Room(name: "WaypostDispatch", floor: 2, targets: ["Waypost", "WaypostSystem"], toolchain: ["Synchronization"]),
        Room(
            name: "WaypostControl", floor: 2, targets: ["Waypost", "WaypostSystem"], products: ["NIOCore", "NIOPosix"],
            toolchain: ["Synchronization"]),

        // What joins the five, for applications; it knows no configuration file.
        Room(
            name: "WaypostKit", floor: 3,
            targets: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostGeofences", "WaypostDispatch",
                "WaypostControl",
            ],
            toolchain: ["Synchronization"]),

        // Above the kinds of sources and destinations, whose URLs and keys it reads; imported by the two programs only.
        Room(
            name: "WaypostConfiguration", floor: 3,
            targets: ["Waypost", "WaypostSystem", "WaypostPositioning", "WaypostDispatch", "CTOML"]),

        // The two programs. Foundation costs 50 MB of a device's storage: only the one that parses arguments has it.
        Room(
            name: "WaypostDaemon", floor: 4, targets: libraries.union(["WaypostGeofences", "WaypostKit", "CScalarNames"]),
            products: ["Logging", "NIOCore", "NIOPosix", "NIOHTTP1"],
            toolchain: ["Synchronization"]),
        Room(
            name: "WaypostCLI", floor: 4, targets: libraries.union(["COsmium", "CScalarNames"]), products: ["ArgumentParser"],
            toolchain: ["Foundation", "Synchronization"]),
    ]

    private static let libraries: Set<String> = [
        "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostDispatch", "WaypostControl",
        "WaypostConfiguration",
    ]

    private static let mathematics: Set<String> = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp", "expm1", "fmod", "hypot", "log",
        "log10", "log1p", "log2", "pow", "remainder", "sin", "sincos", "sinh", "tan", "tanh",
    ]
}
