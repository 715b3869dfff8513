// swift-tools-version: 6.2
import PackageDescription

// A package of its own: benchmarks are neither shipped nor part of the root's build.
let package = Package(
    name: "waypost-benchmarks",
    dependencies: [.package(name: "waypost", path: "../..")],
    targets: [
        .target(name: "CAllocationCount", cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "waypost-bench",
            dependencies: [
                "CAllocationCount", .product(name: "Waypost", package: "waypost"), .product(name: "WaypostRecording", package: "waypost"),
                .product(name: "WaypostDispatch", package: "waypost"), .product(name: "WaypostPositioning", package: "waypost"),
            ],
            path: "Sources/WaypostBench", swiftSettings: [.treatAllWarnings(as: .error)]),
        // Sanitizers have an allocator of their own, which the one of the benchmarks would replace.
        .executableTarget(
            name: "waypost-lives",
            dependencies: [
                .product(name: "Waypost", package: "waypost"), .product(name: "WaypostPositioning", package: "waypost"),
                .product(name: "WaypostKit", package: "waypost"),
            ],
            path: "Sources/WaypostLives", swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    cLanguageStandard: .c17
)
