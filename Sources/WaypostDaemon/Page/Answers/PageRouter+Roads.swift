import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

// The roads of the road file as the ground of the map. For the owner alone: the area of a file may be that around a home.
extension PageRouter {
    static let roadTiles = "/api/v1/roads/"

    /// What the state says of the ground; nil while there is no road file that can be used.
    func ground(for visitor: PageVisitor) async -> Roads? {
        guard visitor.isOwner, settings.tiles.isEmpty, let matcher = reporter.roads else { return nil }
        await matcher.look()
        return await matcher.roads
    }

    static func write(ground roads: Roads, to json: inout JSONWriter) {
        json.object("ground") { json in
            json.member("version", version(of: roads))
            json.array("zooms") { json in
                json.element(RoadTile.zooms.lowerBound)
                json.element(RoadTile.zooms.upperBound)
            }
            json.member("notice", roads.summary.notice)
        }
    }

    /// `/api/v1/roads/ZOOM/COLUMN/ROW`: the roads of a tile.
    func roadTile(_ request: BrowserRequest) async -> PageAnswer {
        let numbers = request.path.dropFirst(PageRouter.roadTiles.count).split(separator: "/", omittingEmptySubsequences: false).map {
            Int($0)
        }
        guard numbers.count == 3, let zoom = numbers[0], let column = numbers[1], let row = numbers[2],
            let tile = RoadTile(zoom: zoom, column: column, row: row)
        else {
            let zooms = "\(RoadTile.zooms.lowerBound) to \(RoadTile.zooms.upperBound)"
            return .error(400, "a tile of roads is ZOOM/COLUMN/ROW with a zoom from \(zooms)")
        }
        guard let roads = await reporter.roads?.roads else { return .error(404, "there is no road file") }
        let version = PageRouter.version(of: roads)
        let tag = "\"\(version)-\(zoom)-\(column)-\(row)\""
        var answer = PageAnswer(status: 304, body: .bytes([]), headers: [("ETag", tag), ("Vary", "Accept-Encoding")], isKept: true)
        if request["if-none-match"] == tag { return answer }
        let drawn = PageAnswer.object("ROADS", await disk.members(of: tile, from: roads, version: version))
        (answer.status, answer.body) = (200, drawn.body)
        return answer
    }

    private static func version(of roads: Roads) -> String { String(roads.fingerprint, radix: 16) }
}

extension PageDisk {
    /// Draws a tile, here because a road file is on a disk, too, and one after the other, so that a browser takes one processor at most.
    fileprivate func members(of tile: RoadTile, from roads: Roads, version: String) -> @Sendable (inout JSONWriter) -> Void {
        let drawing = roads.drawing(of: tile)
        // The map looks at more of the file than matching needs.
        roads.releaseMemory()
        return { json in
            json.member("version", version)
            json.member("extent", RoadTile.extent)
            json.member("left_out", drawing.leftOutCount)
            json.array("lines") { json in for rank in drawing.lines { json.array { PageDisk.write(rank, to: &$0) } } }
        }
    }

    /// A line: the number of its way, its first point, and the steps to the following ones.
    private static func write(_ lines: [RoadDrawing.Line], to json: inout JSONWriter) {
        for line in lines {
            json.array { json in
                json.element(Int(line.wayNumber))
                var (x, y) = (0, 0)
                for point in line.points {
                    json.element(point.x - x)
                    json.element(point.y - y)
                    (x, y) = point
                }
            }
        }
    }
}
