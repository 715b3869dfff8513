extension FenceRemark {
    /// Writes the members of the remark as JSON.
    ///
    /// They are `severity`, `entry`, `name`, `place`, `problem` (a word that stays the same from version to version) and `message`.
    public func write(to json: inout JSONWriter) {
        json.member("severity", severity.rawValue)
        json.member("entry", index)
        json.member("name", name)
        json.member("place", place)
        json.member("problem", problem.code)
        json.member("message", problem.description)
    }
}

extension FenceRemark.Problem {
    /// A word for programs.
    public var code: String {
        switch self {
        case .shape(let error):
            switch error {
            case .radiusOutOfRange: "radius_out_of_range"
            case .widthOutOfRange: "width_out_of_range"
            case .tooFewCorners: "too_few_corners"
            case .tooFewPoints: "too_few_points"
            case .windsMoreThanOnce: "winds_more_than_once"
            case .empty: "empty"
            }
        case .invalidValue: "invalid_value"
        case .coordinateOutOfRange: "coordinate_out_of_range"
        case .unknownGeometry: "unknown_geometry"
        case .tooManyCorners: "too_many_corners"
        case .notExpressible: "not_expressible"
        case .repeatedID: "repeated_id"
        case .trailingCommas: "trailing_commas"
        case .byteOrderMark: "byte_order_mark"
        case .utf16: "utf16"
        case .wrongEncoding: "wrong_encoding"
        case .overlookedGeometry: "overlooked_geometry"
        case .foreignReferenceSystem: "foreign_reference_system"
        case .notKept: "not_kept"
        case .fileSeemsSwapped: "file_seems_swapped"
        case .seemsSwapped: "seems_swapped"
        case .cornerSeemsSwapped: "corner_seems_swapped"
        case .unclosedRing: "unclosed_ring"
        case .repeatedCorners: "repeated_corners"
        case .crossesItself: "crosses_itself"
        case .touchesItself: "touches_itself"
        case .ringsCross: "rings_cross"
        case .holeOutside: "hole_outside"
        case .holeInHole: "hole_in_hole"
        case .noArea: "no_area"
        case .holdsPole: "holds_pole"
        case .longEdge: "long_edge"
        case .smallerThanAccuracy: "smaller_than_accuracy"
        case .huge: "huge"
        case .nullIsland: "null_island"
        case .expired: "expired"
        case .longDwell: "long_dwell"
        case .tellsNothing: "tells_nothing"
        case .dwellIsNotTold: "dwell_is_not_told"
        case .oddName: "odd_name"
        case .sameName: "same_name"
        case .sameArea: "same_area"
        case .overlaps: "overlaps"
        case .moreOverlaps: "more_overlaps"
        }
    }
}
