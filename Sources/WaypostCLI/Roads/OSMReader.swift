import COsmium
import Waypost

/// Reads the objects of an OpenStreetMap file, in its order, as often as needed.
struct OSMReader: ~Copyable {
    /// The kinds of objects.
    struct Kinds: OptionSet {
        let rawValue: UInt32
        static let nodes = Kinds(rawValue: COSMIUM_NODE.rawValue)
        static let ways = Kinds(rawValue: COSMIUM_WAY.rawValue)
        static let relations = Kinds(rawValue: COSMIUM_RELATION.rawValue)
    }

    /// A file that cannot be read as a map.
    struct Failure: Error {
        /// What libosmium says of it.
        var reason: String
    }

    private let reader: OpaquePointer
    /// How many objects were read.
    private(set) var objectCount = 0

    /// Opens the file for these kinds of objects.
    init(path: String, _ kinds: Kinds) throws(Failure) {
        reader = cosmium_open(path, kinds.rawValue)
        if let failure = OSMReader.failure(reader) { throw failure }
    }

    deinit { cosmium_close(reader) }

    /// When the map was current, as the file says; nil when it does not.
    var dataTime: UTCTime? { UTCTime(rfc3339: String(cString: cosmium_timestamp(reader))) }

    /// How many bytes were read, and how many there are.
    var offset: UInt64 { cosmium_offset(reader) }
    var size: UInt64 { cosmium_size(reader) }

    /// The next object, valid until the next call; nil at the end.
    mutating func next() throws(Failure) -> OSMObject? {
        guard let object = cosmium_next(reader) else {
            if let failure = OSMReader.failure(reader) { throw failure }
            return nil
        }
        objectCount += 1
        return OSMObject(object: object)
    }

    private static func failure(_ reader: OpaquePointer) -> Failure? {
        cosmium_error(reader).map { Failure(reason: String(cString: $0)) }
    }
}

/// An object of an OpenStreetMap file, valid until the next one is read.
struct OSMObject {
    fileprivate let object: UnsafePointer<cosmium_object>

    var number: Int64 { object.pointee.number }
    var isNode: Bool { object.pointee.kind == COSMIUM_NODE }
    var isWay: Bool { object.pointee.kind == COSMIUM_WAY }

    /// Whether it has any tags.
    var hasTags: Bool { object.pointee.tag_count > 0 }

    var tags: OSMTags {
        var tags = OSMTags()
        for tag in UnsafeBufferPointer(start: object.pointee.tags, count: object.pointee.tag_count) {
            tags.add(String(cString: tag.key), String(cString: tag.value))
        }
        return tags
    }

    /// The place of a node; nil when it has none.
    var coordinate: Coordinate? {
        guard object.pointee.has_place else { return nil }
        return Coordinate(latitudeDegrees: Double(object.pointee.latitude) / 1e7, longitudeDegrees: Double(object.pointee.longitude) / 1e7)
    }

    /// The numbers of a way's nodes.
    var nodes: UnsafeBufferPointer<Int64> { UnsafeBufferPointer(start: object.pointee.nodes, count: object.pointee.node_count) }

    var members: [OSMTags.Member] {
        UnsafeBufferPointer(start: object.pointee.members, count: object.pointee.member_count).map {
            OSMTags.Member(
                isNode: $0.kind == COSMIUM_NODE, isWay: $0.kind == COSMIUM_WAY, number: $0.number, role: String(cString: $0.role))
        }
    }
}
