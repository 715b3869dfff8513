import Synchronization

/// The options that the parts of one thing share: whoever changes them changes them for all.
final class SharedOptions<Options: Sendable>: Sendable {
    private let content: Mutex<Options>

    init(_ options: Options) {
        content = Mutex(options)
    }

    var value: Options {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
