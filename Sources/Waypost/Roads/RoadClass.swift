/// What kind of road it is, as OpenStreetMap's key `highway` has it; a link (`motorway_link`) has the class of its road.
///
/// The raw values stand in road files and never change.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RoadClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Access-controlled, its directions apart.
    case motorway = 0
    /// The most important roads that are not motorways.
    case trunk = 1
    /// Between large towns.
    case primary = 2
    /// Between towns.
    case secondary = 3
    /// Between villages.
    case tertiary = 4
    /// Smaller than tertiary, not residential.
    case unclassified = 5
    /// Along houses.
    case residential = 6
    /// Where walkers have priority.
    case livingStreet = 7
    /// To a building, on a car park, an alley.
    case service = 8
    /// For agriculture and forestry.
    case track = 9
    /// For walkers, in a town.
    case pedestrian = 10
    /// For bicycles.
    case cycleway = 11
    /// A pavement or footpath.
    case footway = 12
    /// For everything that is not a car.
    case path = 13
    /// Stairs.
    case steps = 14
    /// For horses.
    case bridleway = 15
    /// A boat that takes people, bicycles or cars.
    case ferry = 16
    /// A road of unknown kind.
    case road = 17

    /// The word for it, with spaces.
    public var text: String {
        switch self {
        case .livingStreet: "living street"
        default: "\(self)"
        }
    }

    /// The class of a value of `highway`, and whether it is a link; nil for what nobody can travel on.
    init?(highway: String) {
        switch highway {
        case "motorway", "motorway_link": self = .motorway
        case "trunk", "trunk_link": self = .trunk
        case "primary", "primary_link": self = .primary
        case "secondary", "secondary_link": self = .secondary
        case "tertiary", "tertiary_link": self = .tertiary
        case "unclassified": self = .unclassified
        case "residential": self = .residential
        case "living_street": self = .livingStreet
        case "service": self = .service
        case "track": self = .track
        case "pedestrian": self = .pedestrian
        case "cycleway": self = .cycleway
        case "footway": self = .footway
        case "path": self = .path
        case "steps": self = .steps
        case "bridleway": self = .bridleway
        case "road": self = .road
        default: return nil
        }
    }

    /// The usual speed of a car where no limit is given, in km/h: what is driven, not what is allowed.
    var usualKilometresPerHour: UInt8 {
        switch self {
        case .motorway: 110
        case .trunk: 90
        case .primary: 60
        case .secondary: 55
        case .tertiary: 50
        case .unclassified: 45
        case .residential: 30
        case .livingStreet: 10
        case .service: 15
        case .track: 15
        case .ferry: 15
        case .road: 30
        case .pedestrian, .cycleway, .footway, .path, .steps, .bridleway: 10
        }
    }
}
