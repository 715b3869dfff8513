import Waypost
import WaypostSystem

/// Reads a journal from its file, finished or still growing.
///
/// - Cost: memory for one piece of the file and one record, however long the file is.
public struct JournalReader: ~Copyable {
    /// What was found so far: header, damage, where the content ends.
    public private(set) var decoder = JournalDecoder()
    private let file: FileReader
    private var isEnded = false

    /// Opens a journal.
    public init(path: String) throws(RecordingError) {
        do {
            file = try FileReader(path: path)
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
    }

    /// The next whole record; nil at the end.
    public mutating func next() throws(RecordingError) -> JournalRecord? {
        while true {
            do {
                if let record = try decoder.next() { return record }
            } catch {
                switch error {
                case .unsupportedVersion(let version): throw .unsupportedVersion(path: file.path, version: version)
                }
            }
            if isEnded { return nil }
            do {
                let bytes = try file.read()
                if bytes.isEmpty {
                    isEnded = true
                    decoder.endOfInput()
                } else {
                    decoder.feed(bytes)
                }
            } catch {
                throw .cannotRead(path: file.path, cause: error)
            }
        }
    }
}
