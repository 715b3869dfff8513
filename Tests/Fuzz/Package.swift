// swift-tools-version: 6.2
import PackageDescription

// A package of its own: libFuzzer needs flags that the root's plain build must not have. Build it with Tests/Scripts/fuzz.sh.
let package = Package(
    name: "waypost-fuzz",
    dependencies: [.package(name: "waypost", path: "../..")],
    targets: [
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "fuzz-nmea", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzNMEA"),
        .executableTarget(
            name: "fuzz-json", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzJSON"),
        .executableTarget(
            name: "fuzz-configuration", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzConfiguration"),
        .executableTarget(
            name: "fuzz-journal", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzJournal"),
        .executableTarget(
            name: "fuzz-control", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzControl"),
        .executableTarget(
            name: "fuzz-gpx", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzGPX"),
        .executableTarget(
            name: "fuzz-lines", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")],
            path: "Sources/FuzzLines"),
    ]
)
