import Testing

@testable import WaypostSystem

@Suite struct ProgramPagesTests {
    private let maps = """
        55c72cac1000-55c72ce08000 r--p 00000000 fe:00 16580875                   /usr/bin/way postd
        55c72ce08000-55c72d9cb000 r-xp 00346000 fe:00 16580875                   /usr/bin/way postd
        55c72d9cb000-55c72da46000 r--p 00f08000 fe:00 16580875                   /usr/bin/way postd
        55c72da46000-55c72dbc9000 rw-p 00f82000 fe:00 16580875                   /usr/bin/way postd
        7fc05367c000-7fc053683000 r--p 00000000 fe:00 4907034                    /usr/lib/libnss_systemd.so.2
        7ffc9aa1b000-7ffc9aa3c000 rw-p 00000000 00:00 0                          [stack]

        """

    @Test func takesTheCodeAndWhatIsBeforeItAlone() {
        let ranges = ProgramPages.ranges(inMaps: Array(maps.utf8), of: "/usr/bin/way postd")
        #expect(ranges == [0x55c7_2cac_1000..<0x55c7_2ce0_8000, 0x55c7_2ce0_8000..<0x55c7_2d9c_b000])
        #expect(ProgramPages.ranges(inMaps: Array(maps.utf8), of: "/usr/bin/waypost").isEmpty)
        #expect(ProgramPages.ranges(inMaps: Array("nonsense\n-\nzz-yy r-xp 0 0 0 /a\n".utf8), of: "/a").isEmpty)
    }

    /// This program goes on, with all that it has written.
    @Test func goesOnWithEverything() {
        let before = (0..<1_000).map { "number \($0)" }
        for _ in 0..<20 { ProgramPages.release() }
        #expect(before.joined() == (0..<1_000).map { "number \($0)" }.joined())
        #expect(SystemProcess.executablePath != nil)
    }
}
