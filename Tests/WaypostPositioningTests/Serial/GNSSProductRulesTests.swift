import Foundation
import Testing

@testable import WaypostPositioning

/// The udev rules and `serial:auto` know the same receivers, by the same names.
@Suite struct GNSSProductRulesTests {
    @Test func namesExactlyTheProductsThatMayBeOpenedUnasked() throws {
        let package = (0..<4).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
        let rules = try String(contentsOf: package.appending(path: "udev/60-waypost.rules"), encoding: .utf8)
        let rule = /ATTRS{idVendor}=="(\w{4})", ATTRS{idProduct}=="(\w{4})", ENV{WAYPOST_GNSS}="([^"]+)"/
        let ruled = try rules.matches(of: rule).map { match in
            try Product(
                vendorID: #require(UInt16(match.1, radix: 16)), productID: #require(UInt16(match.2, radix: 16)), name: String(match.3))
        }
        let vendors = Set(ruled.map(\.vendorID)).union([0x1546, 0x0e8d, 0x067b, 0x0403, 0x10c4, 0x1a86])
        let known = vendors.flatMap { vendor in
            (UInt16.min ... .max).compactMap { product in
                GNSSProducts.name(vendorID: vendor, productID: product).map { Product(vendorID: vendor, productID: product, name: $0) }
            }
        }
        #expect(!ruled.isEmpty && ruled.count == Set(ruled).count)
        #expect(Set(ruled) == Set(known))
    }

    private struct Product: Hashable {
        var vendorID: UInt16
        var productID: UInt16
        var name: String
    }
}
