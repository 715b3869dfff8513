import WaypostSystem

/// Something that is in the place of one of a log's files and is not an ordinary file: a folder, a link, a FIFO.
package struct OddLogFile: Sendable, Equatable {
    /// What became of it.
    package enum Fate: Sendable, Hashable {
        /// It has this path now; the log goes on without it.
        case setAside(as: String)
        /// It cannot be set aside, for that reason.
        case stays(reason: String)
        /// It is in the place of a journal, which is not read; nobody but its owner can say what to do.
        case isNotRead
    }

    /// Where it was found.
    package var path: String
    /// What it is, and what to do if it stays.
    package var cause: SystemError
    /// What became of it.
    package var fate: Fate
}

extension LogFolder {
    /// Gives other names to what is in the place of the recorder's small files and is not an ordinary file, and looks for such journals.
    ///
    /// The pullers' file stays whatever it is: without it, what nobody has fetched might be deleted.
    func setOddFilesAside() -> [OddLogFile] {
        let places = [
            path + "/SHA256SUMS", sequencePath, destinationsPath, nextJournalPath, removedPath, journalFolder + "/.erase",
            journalFolder + "/.erased",
        ]
        var found: [OddLogFile] = []
        for place in places {
            guard let cause = Syscalls.oddFile(place) else { continue }
            do throws(SystemError) {
                found.append(OddLogFile(path: place, cause: cause, fate: .setAside(as: try Syscalls.setAside(place))))
            } catch {
                found.append(OddLogFile(path: place, cause: cause, fate: .stays(reason: error.reason)))
            }
        }
        let journals = (try? journals()) ?? []  // Whoever needs them reports the error.
        for journal in journals {
            guard let cause = Syscalls.oddFile(journal.path) else { continue }
            found.append(OddLogFile(path: journal.path, cause: cause, fate: .isNotRead))
        }
        return found
    }
}
