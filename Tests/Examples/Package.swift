// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as an application's is: it has waypost's libraries as products, and no more than they give. The guides show these
// files. Build, test and run it with Tests/Scripts/examples.sh.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]
let positions: [Target.Dependency] = [
    .product(name: "Waypost", package: "waypost"), .product(name: "WaypostPositioning", package: "waypost"),
]
let kit: [Target.Dependency] = [.product(name: "WaypostKit", package: "waypost")]

let package = Package(
    name: "waypost-examples",
    dependencies: [.package(name: "waypost", path: "../..")],
    targets: [
        .executableTarget(name: "print-positions", dependencies: positions, path: "Sources/PrintPositions", swiftSettings: strict),
        .executableTarget(name: "tracker-positions", dependencies: kit, path: "Sources/TrackerPositions", swiftSettings: strict),
        .executableTarget(name: "live-positions", dependencies: kit, path: "Sources/LivePositions", swiftSettings: strict),
        .executableTarget(name: "fence-events", dependencies: kit, path: "Sources/FenceEvents", swiftSettings: strict),
        .executableTarget(name: "track-file", dependencies: kit, path: "Sources/TrackFile", swiftSettings: strict),
        .executableTarget(name: "server-events", dependencies: kit, path: "Sources/ServerEvents", swiftSettings: strict),
        .target(name: "Broker", dependencies: kit, swiftSettings: strict),
        .target(name: "Courier", dependencies: kit, swiftSettings: strict),
        .target(name: "RunningCoach", dependencies: kit, swiftSettings: strict),
        .executableTarget(
            name: "running-coach", dependencies: ["RunningCoach"] + kit, path: "Sources/RunningCoachProgram", swiftSettings: strict),
        .testTarget(name: "RunningCoachTests", dependencies: ["RunningCoach"] + kit, swiftSettings: strict),
        .target(name: "Ride", dependencies: kit, swiftSettings: strict),
        .target(name: "Round", dependencies: kit, swiftSettings: strict),
        .testTarget(name: "RoundTests", dependencies: ["Round"] + kit, swiftSettings: strict),
        .target(name: "StayMeter", dependencies: kit, swiftSettings: strict),
        .testTarget(
            name: "StayMeterTests", dependencies: ["StayMeter", .product(name: "WaypostTestKit", package: "waypost")] + kit,
            resources: [.copy("delivery.gpx")], swiftSettings: strict),
        .target(name: "Switching", dependencies: kit, swiftSettings: strict),
        .target(name: "FleetAgent", dependencies: kit, swiftSettings: strict),
        .testTarget(
            name: "FleetAgentTests",
            dependencies: ["FleetAgent", "Ride", .product(name: "WaypostTestKit", package: "waypost")] + kit,
            resources: [.copy("delivery.gpx")], swiftSettings: strict),
        .target(name: "Doorbell", dependencies: positions, swiftSettings: strict),
        .testTarget(
            name: "DoorbellTests", dependencies: ["Doorbell"] + positions, resources: [.copy("delivery.gpx")], swiftSettings: strict),
        .target(name: "Lighthouse", dependencies: positions, swiftSettings: strict),
        .testTarget(
            name: "LighthouseTests", dependencies: ["Lighthouse", .product(name: "WaypostTestKit", package: "waypost")],
            swiftSettings: strict),
        // The examples of doc comments, which the script writes down as functions.
        .target(
            name: "DocComments",
            dependencies: positions
                + ["WaypostRecording", "WaypostDispatch", "WaypostControl", "WaypostKit"].map {
                    .product(name: $0, package: "waypost")
                }),
        .executableTarget(name: "replay-trace", dependencies: positions, path: "Sources/ReplayTrace", swiftSettings: strict),
    ]
)
