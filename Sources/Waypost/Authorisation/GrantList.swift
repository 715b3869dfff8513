/// The grants without an end as lines of JSON, for the tracker's state.
///
/// The last line has how many there are, and a checksum of the lines before: a list that was cut may lack what takes something away. What ends with a time
/// is not among them: a restart of the tracker ends it, too.
package enum GrantList {
    /// Why a list cannot be read.
    package struct Damage: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line, counted from 1; 0 when the list as a whole was cut or changed.
        package var line: Int
        /// The problem with the line, for people.
        package var description: String { line == 0 ? "it is not whole" : "line \(line) is no grant" }
    }

    /// Writes the list.
    package static func text(of grants: [AccessGrant]) -> [UInt8] {
        var text = TextBuffer(capacity: 256)
        let lasting = grants.filter { $0.end == nil }
        for grant in lasting {
            text.appendJSON { json in
                json.object { json in
                    switch grant.subject {
                    case .user(let id): json.member("user", Int(id))
                    case .group(let id): json.member("group", Int(id))
                    }
                    json.member("level", grant.level.rawValue)
                    json.member("scope", grant.scope.rawValue)
                    json.member("purpose", grant.purpose)
                }
            }
            text.append(byte: UInt8(ascii: "\n"))
        }
        return text.bytes + lastLine(after: text.bytes, count: lasting.count)
    }

    /// Reads the list; a line that is no grant makes all of it unusable, since it may be one that takes something away.
    package static func grants(in text: [UInt8]) throws(Damage) -> [AccessGrant] {
        var grants: [AccessGrant] = []
        let lines = text.split(separator: UInt8(ascii: "\n"))
        for (index, line) in lines.dropLast().enumerated() {
            guard let grant = grant(on: Array(line)) else { throw Damage(line: index + 1) }
            grants.append(grant)
        }
        let end = lines.last.map { $0.count + 1 } ?? 0
        guard text.suffix(end).elementsEqual(lastLine(after: Array(text.dropLast(end)), count: grants.count)) else { throw Damage(line: 0) }
        return grants
    }

    private static func lastLine(after text: [UInt8], count: Int) -> [UInt8] {
        var line = TextBuffer(capacity: 48)
        line.appendJSON { json in
            json.object { json in
                json.member("grants", count)
                json.member("crc32c", Int(CRC32C.checksum(text.span.bytes)))
            }
        }
        line.append(byte: UInt8(ascii: "\n"))
        return line.bytes
    }

    private static func grant(on line: [UInt8]) -> AccessGrant? {
        guard let value = try? JSONParser(maximumDepth: 4).parse(line),  // What is no JSON is no grant.
            let level = value["level"]?.string.flatMap(AuthorisationLevel.init(rawValue:)), level != .notDetermined,
            let scope = value["scope"]?.string.flatMap(AuthorisationScope.init(rawValue:))
        else { return nil }
        let subject: AccessSubject
        if let id = value["user"]?.int.flatMap(UInt32.init(exactly:)) {
            subject = .user(id)
        } else if let id = value["group"]?.int.flatMap(UInt32.init(exactly:)) {
            subject = .group(id)
        } else {
            return nil
        }
        let purpose = value["purpose"]?.string
        if let purpose, !AccessPolicy.isKey(purpose) { return nil }
        return AccessGrant(subject, level, scope, purpose: purpose)
    }
}
