import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostSystem

// Values of options as users write them. Invalid values are refused with the accepted forms and an example.

/// Why a value of an option is refused, in words that follow the value.
struct ArgumentProblem: Error, CustomStringConvertible {
    let description: String
}

/// A span of time: `5`, `5s`, `"1.5 h"`.
enum SpanValue {
    /// The accepted forms, for help.
    static let forms = "seconds, or with a unit: 500ms, 5s, 10min, 1h, 2d"

    /// The span, longer than nothing and of at most ten years.
    static func parse(_ text: String) throws -> Duration {
        guard let span = try? DurationText.parse(text), span > .zero else {  // The message lists the valid forms.
            throw ArgumentProblem(description: "write \(forms)")
        }
        guard span <= .seconds(315_360_000) else { throw ArgumentProblem(description: "that is too long: at most 3650d") }
        return span
    }
}

/// A distance: `10`, `10m`, `"1.5 km"`.
enum DistanceValue {
    /// The accepted forms, for help.
    static let forms = "metres, or with a unit: 10m, 1.5km, 300ft, 2mi, 1nmi"

    /// The distance in metres, at most 1 000 km.
    static func parse(_ text: String) throws -> Double {
        guard let metres = try? DistanceText.parse(text) else {  // The message lists the valid forms.
            throw ArgumentProblem(description: "write \(forms)")
        }
        guard metres <= 1_000_000 else { throw ArgumentProblem(description: "that is too far: at most 1000km") }
        return metres
    }
}

/// A number: `10`, `0.5`.
enum NumberValue {
    /// Reads a number of the type of the option.
    ///
    /// - Parameter form: what to write, for the error: `the number of fixes, such as 10`.
    static func parse<Number: LosslessStringConvertible & SendableMetatype>(_ form: String) -> @Sendable (String) throws -> Number {
        { text in
            guard let number = Number(text) else { throw ArgumentProblem(description: "write \(form)") }
            return number
        }
    }
}

/// A place: `52.51702,13.38886`.
enum PlaceValue {
    /// The coordinate, latitude first.
    static func parse(_ text: String) throws -> Coordinate {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.drop { $0 == " " }) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw ArgumentProblem(description: "write latitude,longitude in degrees, such as -33.8568,151.2153")
        }
        guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw ArgumentProblem(description: "that is not on the Earth: the latitude is from -90 to 90, the longitude from -180 to 180")
        }
        return place
    }
}

/// A box: `52.3,13.0,52.7,13.8`.
enum BoxValue {
    /// The box, its sides south, west, north and east.
    static func parse(_ text: String) throws -> BoundingBox {
        let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.drop { $0 == " " }) }
        guard sides.count == 4, let south = sides[0], let west = sides[1], let north = sides[2], let east = sides[3],
            let box = BoundingBox(southDegrees: south, westDegrees: west, northDegrees: north, eastDegrees: east)
        else { throw ArgumentProblem(description: "write south,west,north,east in degrees, such as 52.3,13.0,52.7,13.8") }
        return box
    }
}

/// A moment: `2026-11-22T15:25`, `today`, `-1h`.
enum MomentValue {
    /// The moment as text; it becomes a time once the clocks are known.
    static func parse(_ text: String) throws -> MomentText {
        guard let moment = MomentText(text) else { throw ArgumentProblem(description: "write \(MomentText.forms)") }
        return moment
    }
}

/// The path of a file or folder, of any bytes.
enum PathValue {
    /// The path; an empty one, which a script makes of a variable that is not set, would be the current folder.
    static func parse(_ text: String) throws -> String {
        if text.isEmpty { throw ArgumentProblem(description: "it is empty; name a file or a folder") }
        return text
    }
}

/// A name, an id, a reason: text that is stored, sent and compared.
enum NameValue {
    /// The text; bytes that are not UTF-8 would become others on the way.
    static func parse(_ text: String) throws -> String {
        guard text.shownName == text else { throw ArgumentProblem(description: "it is not UTF-8; only names of files may be other bytes") }
        return text
    }
}
