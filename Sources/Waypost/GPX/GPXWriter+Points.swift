// MARK: - One point

extension GPXWriter {
    /// A point of any kind.
    @inline(__always)
    func append(_ point: GPXPoint, _ element: StaticString, into text: inout TextBuffer) {
        append(
            point.position, fix: point.fix, name: point.name, description: point.description, other: point.other, element, into: &text)
    }

    /// A place with everything that GPX says about it.
    @inline(__always)
    func append(
        _ position: Position, fix: GPXFix?, name: String?, description: String?, other: GPXOtherElements?, _ element: StaticString,
        into text: inout TextBuffer
    ) {
        text.append("<")
        text.append(element)
        append(" lat=\"", degrees: position.coordinate.latitudeDegrees, "\"", into: &text)
        append(" lon=\"", longitudeDegrees: position.coordinate.longitudeDegrees, "\">", into: &text)
        if let elevation = position.elevationMetres {
            append("<ele>", elevation, decimals: precision.altitudeDecimals, "</ele>", into: &text)
        }
        if let time = position.time, time.hasFourDigitYear {
            text.append("<time>")
            text.append(time, trimsMilliseconds: true)
            text.append("</time>")
        }
        append(other, .magneticVariation, into: &text)
        if let separation = position.geoidSeparationMetres {
            append("<geoidheight>", separation, decimals: precision.altitudeDecimals, "</geoidheight>", into: &text)
        }
        append(string: name, "<name>", "</name>", into: &text)
        append(other, .comment, into: &text)
        append(string: description, "<desc>", "</desc>", into: &text)
        if let other {
            append(other, .source, into: &text)
            append(linksOf: other, into: &text)
            append(other, .symbol, into: &text)
            append(other, .type, into: &text)
        }
        if let fix { text.append(fix.element) }
        appendQuality(of: position, into: &text)
        append(other, .differentialAge, into: &text)
        append(other, .stationNumber, into: &text)
        appendExtensions(of: position, other, into: &text)
        text.append("</")
        text.append(element)
        text.append(">\n")
    }

    @inline(__always)
    func append(string: String?, _ open: StaticString, _ close: StaticString, into text: inout TextBuffer) {
        guard let string else { return }
        text.append(open)
        text.append(xmlEscaped: string)
        text.append(close)
    }

    /// Satellites and dilutions, in the schema's order.
    private func appendQuality(of position: Position, into text: inout TextBuffer) {
        if let satellites = position.quality.satellitesUsed, satellites >= 0 {
            text.append(
                "<sat>", scaled: UInt64(satellites), decimals: 0, trimsZeros: false, isNegative: false, "</sat>")
        }
        append(figure: position.quality.hdop, "<hdop>", "</hdop>", into: &text)
        append(figure: position.quality.vdop, "<vdop>", "</vdop>", into: &text)
        if !precision.leavesOutImpliedPDOP || !position.quality.isPDOPImplied {
            append(figure: position.quality.pdop, "<pdop>", "</pdop>", into: &text)
        }
    }

    /// The extensions of another file, and speed, course and accuracy unless they say the same already; the last value counts.
    private func appendExtensions(of position: Position, _ other: GPXOtherElements?, into text: inout TextBuffer) {
        let kept = other?[.extensions]
        let said = other?.figures
        let speed = position.speedMetresPerSecond.flatMap { $0 >= 0 && $0 != said?.speedMetresPerSecond ? $0 : nil }
        let course = position.courseDegrees.flatMap { (0...360).contains($0) && $0 != said?.courseDegrees ? $0 : nil }
        let accuracy = position.accuracy.flatMap { $0.radiusMetres != said?.accuracyMetres ? $0.radiusMetres : nil }
        guard speed != nil || course != nil || accuracy != nil || kept != nil else { return }
        text.append("<extensions>")
        if let kept { text.append(string: kept) }
        if speed != nil || course != nil { appendMotion(speed, course, into: &text) }
        if hasForeignOwnPrefix {
            append(figure: accuracy, "<accuracy xmlns=\"urn:waypost:gpx:1\">", "</accuracy>", into: &text)
        } else {
            append(figure: accuracy, "<waypost:accuracy>", "</waypost:accuracy>", into: &text)
        }
        text.append("</extensions>")
    }

    private func appendMotion(_ speed: Double?, _ course: Double?, into text: inout TextBuffer) {
        if hasForeignGarminPrefix {
            text.append("<TrackPointExtension xmlns=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\">")
            append(figure: speed, "<speed>", "</speed>", into: &text)
            append(figure: course, "<course>", "</course>", into: &text)
            text.append("</TrackPointExtension>")
        } else {
            text.append("<gpxtpx:TrackPointExtension>")
            append(figure: speed, "<gpxtpx:speed>", "</gpxtpx:speed>", into: &text)
            append(figure: course, "<gpxtpx:course>", "</gpxtpx:course>", into: &text)
            text.append("</gpxtpx:TrackPointExtension>")
        }
    }

    @inline(__always)
    private func append(figure: Double?, _ open: StaticString, _ close: StaticString, into text: inout TextBuffer) {
        guard let figure else { return }
        append(open, figure, decimals: precision.figureDecimals, trimsZeros: true, close, into: &text)
    }

    @inline(__always)
    private func append(
        _ open: StaticString, _ value: Double, decimals: Int, trimsZeros: Bool = false, _ close: StaticString, into text: inout TextBuffer
    ) {
        // A larger value is not a measurement and would not fit the decimal form. NaN fails the comparison as well.
        guard abs(value) < 1e9 else { return }
        text.append(open, value, decimals: decimals, trimsZeros: trimsZeros, close)
    }

    @inline(__always)
    private func append(_ open: StaticString, longitudeDegrees: Double, _ close: StaticString, into text: inout TextBuffer) {
        // The schema excludes 180; a longitude that rounds to it is the same meridian.
        let scale = precision.coordinateDecimals == 7 ? 1e7 : precision.coordinateDecimals == 8 ? 1e8 : 1e9
        let isDateLine = longitudeDegrees > 179 && (longitudeDegrees * scale).rounded() >= 180 * scale
        append(open, degrees: isDateLine ? -180 : longitudeDegrees, close, into: &text)
    }

    @inline(__always)
    private func append(_ open: StaticString, degrees: Double, _ close: StaticString, into text: inout TextBuffer) {
        var decimals = precision.coordinateDecimals
        var scaled = TextBuffer.scaled(degrees, decimals: decimals)
        if decimals > 7 {
            let (seventh, rest) = scaled.quotientAndRemainder(dividingBy: decimals == 8 ? 10 : 100)
            if rest == 0 { (scaled, decimals) = (seventh, 7) }
        }
        text.append(open, scaled: scaled, decimals: decimals, trimsZeros: false, isNegative: degrees < 0, close)
    }
}

extension Position {
    /// Height above mean sea level: as given, or from the height above the ellipsoid when the geoid separation is known; else nil.
    var elevationMetres: Double? {
        if let altitudeMSLMetres { return altitudeMSLMetres }
        guard let altitudeHAEMetres, let geoidSeparationMetres else { return nil }
        return altitudeHAEMetres - geoidSeparationMetres
    }
}
