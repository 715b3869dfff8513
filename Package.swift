// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: Swift 6 mode (from the tools version), every warning an error, no implicit re-exports.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// How the programs that ship are linked.
///
/// No symbol is exported: the static standard library exports each of its own for libraries that are opened later, and none that we open needs one
/// (3.7 MB of `waypost`). Addresses of functions are found at the start and are read-only from then on. The toolchain's own linker packs the
/// relocations and keeps functions of the same code once, which takes 1.5 MB off `waypostd` (17.3 to 15.7 MB, stripped). Packed relocations need
/// glibc 2.36, which Debian 12 has. What a running tracker calls is side by side, as far as each function has a section of its own
/// (`Config/build-release.sh`): the system maps 64 kB around each page that is touched. The names are those that
/// `Tests/Scripts/Tools/function_order.py` has seen called. The names of all characters, which nothing asks for, are left out (`CScalarNames`).
let hardened = [
    "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=all", "-Xlinker", "-z", "-Xlinker", "now",
    "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--wrap=_swift_stdlib_getScalarName",
    "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Config/function-order.txt", "-Xlinker", "--no-warn-symbol-ordering",
]

let package = Package(
    name: "waypost",
    products: [
        .library(name: "WaypostKit", targets: ["WaypostKit"]),
        .library(name: "Waypost", targets: ["Waypost"]),
        .library(name: "WaypostPositioning", targets: ["WaypostPositioning"]),
        .library(name: "WaypostRecording", targets: ["WaypostRecording"]),
        .library(name: "WaypostDispatch", targets: ["WaypostDispatch"]),
        .library(name: "WaypostControl", targets: ["WaypostControl"]),
        .library(name: "WaypostTestKit", targets: ["WaypostTestKit"]),
        .executable(name: "waypost", targets: ["WaypostCLI"]),
        .executable(name: "waypostd", targets: ["WaypostDaemon"]),
    ],
    traits: [
        .trait(name: "GPSD", description: "Positions from gpsd, through libgps: its header is needed to build."),
        .default(enabledTraits: ["GPSD"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // The domain: pure, no file, socket, clock, task or lock.
        .target(name: "Waypost", swiftSettings: strict),
        // The one place that talks to libc and the system.
        .target(name: "CTaskPool", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CClock", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CMapping", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CProcess", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CScalarNames", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CLibrary", cSettings: [.treatAllWarnings(as: .error)], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSQLite", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CCurl", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CZlib", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CSodium", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CMosquitto", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CCurses", dependencies: ["CLibrary"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "WaypostSystem",
            dependencies: [
                "Waypost", "CTaskPool", "CClock", "CMapping", "CProcess", "CSQLite", "CCurl", "CZlib", "CSodium", "CMosquitto", "CCurses",
                .product(name: "DequeModule", package: "swift-collections"), .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),

        // The five rooms; they never import each other.
        .target(name: "CGPSD", cSettings: [.treatAllWarnings(as: .error)], linkerSettings: [.linkedLibrary("gps")]),
        .target(
            name: "WaypostPositioning",
            dependencies: [
                "Waypost", "WaypostSystem", .target(name: "CGPSD", condition: .when(traits: ["GPSD"])),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(name: "WaypostRecording", dependencies: ["Waypost", "WaypostSystem"], swiftSettings: strict),
        .target(name: "WaypostGeofences", dependencies: ["Waypost", "WaypostSystem"], swiftSettings: strict),
        .target(name: "WaypostDispatch", dependencies: ["Waypost", "WaypostSystem"], swiftSettings: strict),
        .target(
            name: "WaypostControl",
            dependencies: [
                "Waypost", "WaypostSystem",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // What joins the five, for applications: one import.
        .target(
            name: "WaypostKit",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostGeofences", "WaypostDispatch",
                "WaypostControl",
            ],
            swiftSettings: strict),

        // The one configuration type, above the kinds of sources and destinations that it reads; imported by the two programs only.
        .target(name: "CTOML", cxxSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "WaypostConfiguration",
            dependencies: ["Waypost", "WaypostSystem", "WaypostPositioning", "WaypostDispatch", "CTOML"], swiftSettings: strict),

        // The two programs.
        .executableTarget(
            name: "WaypostDaemon",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostGeofences", "WaypostDispatch",
                "WaypostControl", "WaypostKit", "WaypostConfiguration", "CScalarNames",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            // Its own code runs a few times a second; the libraries have what a fix costs.
            swiftSettings: strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))],
            linkerSettings: [.unsafeFlags(hardened, .when(configuration: .release))]),
        // libosmium, for the roads of a map; only `waypost` reads maps, the tracker reads what was made of them.
        .target(
            name: "COsmium", cxxSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("z")]),
        .executableTarget(
            name: "WaypostCLI",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostDispatch", "WaypostControl",
                "WaypostConfiguration", "COsmium", "CScalarNames",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(hardened, .when(configuration: .release))]),

        // What checks it.
        .target(
            name: "WaypostTestKit",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostDispatch", "WaypostControl",
                "WaypostConfiguration",
            ],
            path: "Tests/WaypostTestKit",
            swiftSettings: strict),
        .testTarget(name: "ArchitectureTests", swiftSettings: strict),
        .testTarget(name: "WaypostTests", dependencies: ["Waypost", "WaypostTestKit"], swiftSettings: strict),
        .testTarget(name: "WaypostSystemTests", dependencies: ["WaypostSystem", "WaypostTestKit"], swiftSettings: strict),
        .testTarget(
            name: "WaypostPositioningTests",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostTestKit",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostRecordingTests", dependencies: ["Waypost", "WaypostSystem", "WaypostRecording", "WaypostTestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostGeofencesTests", dependencies: ["Waypost", "WaypostSystem", "WaypostGeofences", "WaypostTestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostDispatchTests", dependencies: ["Waypost", "WaypostSystem", "WaypostDispatch", "WaypostTestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostControlTests", dependencies: ["Waypost", "WaypostSystem", "WaypostControl", "WaypostTestKit"],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostKitTests",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostRecording", "WaypostGeofences", "WaypostDispatch",
                "WaypostControl",
                "WaypostKit", "WaypostTestKit",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostConfigurationTests",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostDispatch", "WaypostConfiguration", "WaypostTestKit",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WaypostCLITests",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostDispatch", "WaypostCLI", "WaypostTestKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Waypost", "WaypostSystem", "WaypostPositioning", "WaypostControl", "WaypostKit", "WaypostTestKit", "WaypostDaemon",
                "WaypostCLI",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
