// swift-tools-version: 6.2
import PackageDescription

/// A fuzzer: its product is called like its folder.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: "fuzz-\(name.lowercased())", dependencies: ["FuzzSupport", .product(name: "WaypostTestKit", package: "waypost")],
        path: "Sources/Fuzz\(name)")
}

// A package of its own: libFuzzer needs flags that the root's plain build must not have. Build it with Tests/Scripts/fuzz.sh.
let package = Package(
    name: "waypost-fuzz",
    dependencies: [.package(name: "waypost", path: "../..")],
    targets: [
        .target(name: "CLibFuzzer"),
        .target(name: "FuzzSupport", dependencies: ["CLibFuzzer", .product(name: "WaypostTestKit", package: "waypost")]),
        fuzzer("NMEA"), fuzzer("JSON"), fuzzer("Configuration"), fuzzer("Journal"), fuzzer("Control"), fuzzer("GPX"), fuzzer("Lines"),
        fuzzer("Fences"), fuzzer("State"), fuzzer("UBX"), fuzzer("Outbox"), fuzzer("CSV"), fuzzer("KML"), fuzzer("Gzip"),
        fuzzer("Log"), fuzzer("Answers"), fuzzer("Sharing"), fuzzer("Access"), fuzzer("Roads"),
    ]
)
