import Waypost
import WaypostSystem

/// A file of fences in the state folder: GeoJSON whose last member is the checksum of everything before it.
///
/// ```
/// {"type":"FeatureCollection","features":[
/// ...
/// ],"crc32c":"0b1c2d3e"}
/// ```
enum SealedFences {
    /// There is no such file.
    case missing
    /// It cannot be read, or is not as it was written; why, for people.
    case damaged(String)
    /// Its fences, and what an editor's file has besides, for people.
    case whole([Geofence], remarks: [String])

    private static let end = Array("}\n".utf8)
    private static let member = Array(",\"crc32c\":\"".utf8)
    private static let length = member.count + 8 + 1 + end.count

    /// Reads a file.
    init(path: String) {
        do throws(SystemError) {
            guard let bytes = try Syscalls.contents(of: path, limit: FenceFileLimits().bytes, as: .own) else {
                self = .missing
                return
            }
            self.init(bytes: bytes, path: path)
        } catch {
            self = .damaged("cannot be read: \(error.reason)")
        }
    }

    private init(bytes: [UInt8], path: String) {
        let text = bytes.dropLast(SealedFences.length)
        if SealedFences.isSealed(bytes), !bytes[text.endIndex...].elementsEqual(SealedFences.seal(text)) {
            self = .damaged("is not as it was written: its checksum does not match")
            return
        }
        do throws(FenceLoadFailure) {
            let file = try FenceLoader.fences(in: bytes)
            self = .whole(file.fences, remarks: file.remarks.map { "\(path): \($0)" })
        } catch {
            self = .damaged(error.reason)
        }
    }

    /// Whether two files can be read and have the same bytes, with a checksum.
    static func areSame(_ first: String, _ second: String) -> Bool {
        let limit = FenceFileLimits().bytes
        let bytes = try? Syscalls.contents(of: first, limit: limit, as: .own)  // What cannot be read is written again.
        let others = try? Syscalls.contents(of: second, limit: limit, as: .own)  // See above.
        return bytes.map { SealedFences.isSealed($0) && others == $0 } ?? false
    }

    private static func isSealed(_ bytes: [UInt8]) -> Bool {
        let end = bytes.suffix(length)
        return end.count == length && end.starts(with: member)
    }

    /// Writes a file; it is on the disk when this returns.
    static func write(_ fences: [Geofence], to path: String) throws(SystemError) {
        let text = FenceFormat.write(fences, as: .geojson).text.bytes.dropLast(end.count)
        try AtomicFile.write(text + seal(text), to: path, mode: 0o600)
    }

    private static func seal(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let digits = String(CRC32C.checksum(text.span.bytes), radix: 16)
        return member + Array(String(repeating: "0", count: 8 - digits.count).utf8) + Array(digits.utf8) + Array("\"".utf8) + end
    }
}
