import Waypost
import WaypostGeofences
import WaypostPositioning

// What the updates of a manager mean for fences: for the tracker, and for the monitor of an application.
extension GeofenceKeeper {
    /// What follows from a position.
    package struct Step: Sendable {
        /// The events that it caused, already on the disk.
        package var events: [TrackerEvent]
        /// How closely the device must be followed from now on.
        package var following: Following
        /// The problems with the fence files and the state, for people.
        package var problems: [String]
        /// What is odd about the fence files but harmless, for people.
        package var notices: [String]
    }

    /// How closely fences need the device followed.
    package struct Following: Sendable, Hashable {
        /// Whether there are fences, or a file that may have some later; otherwise positions need not be processed.
        package var isWatching: Bool
        /// How many fences are watched.
        package var fenceCount: Int
        /// A fix before the nearest border could be reached; nil while there is no fence, and before the first fix.
        package var need: PositioningNeed?
    }

    /// How closely the device must be followed now.
    package var following: Following {
        Following(isWatching: mayHaveFences, fenceCount: fenceCount, need: freeMetres.map { .movement(metres: $0) })
    }

    /// Processes the next position.
    ///
    /// A position that stands for a whole privacy zone is in no fence and crosses no border.
    /// - Parameter position: a position of the manager.
    package func step(_ position: Position) -> Step {
        let events = position.accuracy?.origin == .reduced ? [] : process(position)
        return Step(events: events, following: following, problems: problems, notices: notices)
    }

    /// Processes a loss.
    ///
    /// - Parameter reason: why the position was lost; crossings while it is withheld are not guessed, not even by the next run.
    package func step(lostBecause reason: LossReason) {
        if case .withheld = reason { withhold() } else { lose(at: nil) }
    }
}
