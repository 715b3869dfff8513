import Testing

@testable import Waypost

/// Names of members, packed: the same as the texts are.
@Suite struct MemberNameTests {
    @Test(arguments: ["", "t", "time", "altitude", "altitudes", "accuracy_from", "sixteen_bytes_ok", "Zürich"])
    func isEqualToItselfOnly(name: String) {
        let bytes = Array(name.utf8)
        #expect(MemberName(bytes.span) == MemberName(name))
        for other in ["", "t", "time", "Time", "altitude", "altitudes", "accuracy_from", "sixteen_bytes_ok", "Zürich"] {
            #expect((MemberName(other) == MemberName(name)) == (other == name), "\(other)")
        }
    }

    @Test func isEqualToItsLiteral() {
        #expect(MemberName("lat") == "lat" && MemberName("geoidSep") == "geoidSep" && MemberName("accuracy_from") == "accuracy_from")
        #expect(MemberName("") == "" && MemberName("sixteen_bytes_ok") == "sixteen_bytes_ok")
        #expect(MemberName("lat") != "lon" && MemberName("late") != "lat" && MemberName("la") != "lat")
        // One that is too long is none of them.
        #expect(MemberName("accuracy_from_and_more") != "accuracy_from" && MemberName("accuracy_from_and_more") != "")
    }

    /// Escapes in a name are as good as its letters.
    @Test func readsNamesWithEscapes() throws {
        let line = Array(#"{"cl\u0061ss":"TPV","\u006dode":3,"l\u0061t":1,"\u006con":2,"accuracy\u005ffrom":"gst","accuracy":5}"#.utf8)
        guard case .position(let position)? = try TPVCodec.decode(line) else {
            Issue.record("no position")
            return
        }
        #expect(position.coordinate.latitudeDegrees == 1 && position.accuracy?.radiusMetres == 5 && position.mode == .threeDimensional)
    }

    @Test func namesTheMemberInErrors() {
        let line = Array(#"{"class":"TPV","a_very_long_name_that_nobody_knows":{},"lat":"x"}"#.utf8)
        #expect(throws: TPVError.wrongType(member: "lat", line: 1, column: 62)) { try TPVCodec.decode(line) }
    }
}
