/// A destination that gets receipts for records of earlier batches while another batch waits for its own.
///
/// Once they are taken, a batch also ends for such receipts: as ``DeliveryOutcome/partly(received:refused:answer:then:)`` that names no record.
package protocol LateReceiptKeeper: Destination {
    /// Whether there are receipts that nobody has asked for since they came.
    var hasLateReceipts: Bool { get }

    /// Returns which of these records have a receipt, and the reasons for those that will never be accepted; it forgets them.
    func takeLateReceipts(of ids: Set<String>) -> (received: Set<String>, refused: [String: String])
}
