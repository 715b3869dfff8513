import Testing
import WaypostTestKit

@testable import Waypost

/// What no receiver can mean counts as unknown, wherever a position comes from.
struct PositionSoundTests {
    private let home = RandomFences.regions[0]

    private static let numbers: [any WritableKeyPath<Position, Double?> & Sendable] = [
        \.speedMetresPerSecond, \.altitudeMSLMetres, \.altitudeHAEMetres, \.geoidSeparationMetres, \.climbMetresPerSecond, \.quality.eph,
        \.quality.epv, \.quality.eps, \.quality.hdop, \.quality.vdop, \.quality.pdop,
    ]

    @Test func dropsWhatNoReceiverCanMean() throws {
        for number in PositionSoundTests.numbers {
            for absurd in [1e300, -1e300, 1e155, 1e9, -1e9, .infinity, -.infinity, .nan] {
                var position = Position.fix(home, second: 0)
                position[keyPath: number] = absurd
                #expect(position.sound[keyPath: number] == nil, "\(number) \(absurd)")
            }
        }
        for absurd in [1e300, 3e7, -1, .infinity] {
            var position = Position.fix(home, second: 0)
            position.accuracy = HorizontalAccuracy(radiusMetres: absurd, origin: .receiver)
            #expect(position.sound.accuracy == nil, "\(absurd)")
        }
    }

    @Test func keepsWhatReceiversHave() {
        var position = Position.fix(home, second: 0, accuracy: 4_294_967.295, speed: 10_000, course: 359.9)
        (position.altitudeMSLMetres, position.altitudeHAEMetres, position.geoidSeparationMetres) = (-10_994, 384_400_000, -106.9)
        (position.climbMetresPerSecond, position.quality.eph, position.quality.epv) = (-7_800, 9_999_999, 9_999_999)
        (position.quality.eps, position.quality.hdop, position.quality.vdop, position.quality.pdop) = (0, 99.99, 655.35, 9_999)
        #expect(position.sound == position)
    }

    /// One fix with an absurd number among good ones, given to the monitor itself, as a recording is.
    @Test(arguments: BorderRule.allCases, [1e155, 1e300, .infinity, .nan, -1e300])
    func oneAbsurdNumberSilencesNoFence(rule: BorderRule, absurd: Double) throws {
        let changes: [(inout Position) -> Void] = [
            { $0.speedMetresPerSecond = absurd }, { $0.courseDegrees = absurd },
            { $0.accuracy = HorizontalAccuracy(radiusMetres: absurd, origin: .receiver) },
        ]
        for change in changes {
            let yard = Geofence(id: "yard", shape: try .circle(centre: home, radiusMetres: 100))
            var monitor = GeofenceMonitor(fences: FenceIndex([yard]), rule: rule)
            var events: [GeofenceEvent.Kind] = []
            for second in 0..<60 {
                let place = LocalFrame(origin: home).coordinate(PlanePoint(eastMetres: 450 - 15 * Double(second), northMetres: 0))
                var fix = Position.fix(place, second: Double(second), accuracy: 5, speed: 15, course: 270)
                if second == 5 { change(&fix) }
                events += monitor.process(fix).map(\.kind)
            }
            #expect(events == [.enter, .exit])
        }
    }

    @Test func theEstimateRecoversFromNumbersThatAreNone() {
        for spoil: (inout PositionEstimator) -> Void in [
            { $0.positionVariance = .infinity }, { $0.correction.eastMetres = .nan }, { $0.claimed = .infinity }, { $0.scale = .nan },
            { $0.error.northMetres = -.infinity }, { $0.covariance = .nan }, { $0.errorVariance = .infinity },
        ] {
            var estimator = PositionEstimator()
            for second in 0..<20 { _ = estimator.add(.fix(home, second: Double(second), accuracy: 5, speed: 0), seconds: Double(second)) }
            spoil(&estimator)
            for second in 20..<40 {
                let estimate = estimator.add(.fix(home, second: Double(second), accuracy: 5, speed: 0), seconds: Double(second))
                #expect(estimate.sigmaMetres.isFinite && estimate.sigmaMetres < 20)
            }
            #expect(estimator.fixes == 20)
        }
    }
}
