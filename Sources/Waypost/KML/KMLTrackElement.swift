/// The elements of KML that form tracks and waypoints, by their names without prefix.
enum KMLTrackElement: String {
    case kml, name, description, when, begin, coordinates, coord, value, altitudeMode, interpolate
    case document = "Document"
    case folder = "Folder"
    case placemark = "Placemark"
    case timeStamp = "TimeStamp"
    case timeSpan = "TimeSpan"
    case point = "Point"
    case lineString = "LineString"
    case linearRing = "LinearRing"
    case polygon = "Polygon"
    case multiGeometry = "MultiGeometry"
    case multiTrack = "MultiTrack"
    case track = "Track"
    case extendedData = "ExtendedData"
    case schemaData = "SchemaData"
    case arrayData = "SimpleArrayData"
    /// An element that is not read.
    case other = ""

    /// Whether it may be the root.
    var isRoot: Bool { self == .kml || self == .document || self == .folder || self == .placemark }

    /// Whether its text is kept as a whole.
    var isText: Bool {
        switch self {
        case .name, .description, .when, .begin, .coord, .value, .altitudeMode, .interpolate: true
        default: false
        }
    }

    /// Whether it begins a track or a placemark, or something within a track.
    var isPartOfTrack: Bool {
        switch self {
        case .placemark, .multiTrack, .track, .when, .coord, .extendedData, .schemaData, .arrayData, .value: true
        default: false
        }
    }

    /// Whether it is read as a child of that element.
    func isChild(of parent: KMLTrackElement) -> Bool {
        switch self {
        case .kml, .other: false
        case .document, .folder, .placemark: parent == .kml || parent == .document || parent == .folder
        case .name, .description, .timeStamp, .timeSpan: parent == .placemark
        case .when: parent == .timeStamp || parent == .track
        case .begin: parent == .timeSpan
        case .point, .lineString, .linearRing, .polygon, .multiGeometry, .multiTrack:
            parent == .placemark || parent == .multiGeometry
        case .track: parent == .placemark || parent == .multiGeometry || parent == .multiTrack
        case .coordinates: parent == .point || parent == .lineString
        case .altitudeMode: parent == .point || parent == .lineString || parent == .track || parent == .multiTrack
        case .interpolate: parent == .multiTrack
        case .coord, .extendedData: parent == .track
        case .schemaData: parent == .extendedData
        case .arrayData: parent == .schemaData
        case .value: parent == .arrayData
        }
    }
}

/// What was damaged in a KML file, or cannot be read from it.
enum KMLDamage: Int, CaseIterable {
    case untimed, figure, badPlace, unpaired, badValue, overlongTrack, brokenMarkup, overlongText, cut

    /// The name of the damage in messages.
    var words: String {
        switch self {
        case .untimed: "points of lines, which have no times"
        case .figure: "areas and models, left out"
        case .badPlace: "impossible places, left out"
        case .unpaired: "times and places of tracks that cannot be paired"
        case .badValue: "values that cannot be read"
        case .overlongTrack: "points of tracks beyond the \(KMLTrackReader.mostTrackPoints) that are kept, left out"
        case .brokenMarkup: "broken tags"
        case .overlongText: "texts longer than \(KMLTrackReader.longestText) bytes, cut"
        case .cut: "the file ends within the document"
        }
    }
}
