import Waypost

/// The result of a `PieceReader` for a whole file.
package struct PieceReading<Reader: PieceReader>: Equatable where Reader.Failure: Equatable {
    /// Everything visited, in order.
    package var elements: [Reader.Element] = []
    /// What was damaged or left out.
    package var remarks: [String] = []
    /// Why it ended, when the file is not of the format.
    package var failure: Reader.Failure?

    /// Reads the file in pieces of those lengths.
    package init(_ input: [UInt8], by reader: Reader, pieceLength: () -> Int) {
        var reader = reader
        var start = 0
        var elements: [Reader.Element] = []
        do throws(Reader.Failure) {
            while start < input.count {
                let end = min(input.count, start + max(1, pieceLength()))
                try reader.read(input.span.extracting(start..<end)) { elements.append($0) }
                start = end
            }
            try reader.finish { elements.append($0) }
        } catch {
            failure = error
        }
        self.elements = elements
        remarks = reader.remarks
    }

    /// The differences in the result when the same file is cut elsewhere.
    package static func violations(
        cutting input: [UInt8], at lengths: [Int], by reader: Reader, whole: PieceReading
    ) -> [Violation] {
        lengths.compactMap { length in
            let cut = PieceReading(input, by: reader) { length }
            if cut == whole { return nil }
            return Violation("in pieces of \(length) it gives \(cut), whole \(whole)")
        }
    }
}
