/// Runs a trial with each of the values at the same time, and ends when all of them have: for trials that wait more than they compute.
///
/// - Errors: the first one that a trial throws; the others are cancelled then.
package func sideBySide<Value: Sendable>(
    _ values: some Sequence<Value>, _ trial: @escaping @Sendable (Value) async throws -> Void
) async throws {
    try await withThrowingTaskGroup { group in
        for value in values { group.addTask { try await trial(value) } }
        try await group.waitForAll()
    }
}
