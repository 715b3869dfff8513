import Waypost
import WaypostSystem

/// A receiver on a serial line: `serial:auto` finds one, `serial:///dev/ttyUSB0[?baud=X]` names it.
package struct SerialKind: SourceKind {
    package static let scheme = "serial"
    package static let forms = ["serial:auto", "serial:///dev/ttyUSB0[?baud=X]"]
    package static let documentation = "a receiver on a USB or serial port"
    package static let isClock = true
    package static let keys: Set<String> = ["baud", "never_write"]

    /// Which line.
    package var port: SerialSource.Port
    /// The speed in bits per second, one of those that receivers have; nil finds it.
    package var baudRate: Int?

    /// A line at a speed.
    package init(_ port: SerialSource.Port, baudRate: Int? = nil) {
        (self.port, self.baudRate) = (port, baudRate)
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        let (portText, options) = URLFile.split(text)
        if portText == "auto" {
            self.init(.automatic)
        } else {
            // serial:/dev/ttyUSB0, a common way to write it, is just as clear.
            let pathText = portText.hasPrefix("//") ? portText.dropFirst(2) : portText
            guard pathText.first == "/", pathText.count > 1 else {
                throw .invalid(reason: "\(quoted("serial:\(text)")) names no port; write serial:auto or a path: serial:///dev/ttyUSB0")
            }
            self.init(.path(try PercentCoding.decode(pathText)))
        }
        var isSet = false
        for option in options {
            guard option.name == "baud" else { throw .unknownOption(option.name, known: ["baud"]) }
            if isSet { throw .repeatedOption(option.name) }
            isSet = true
            if option.value == "auto" { continue }
            guard let rate = Int(option.value), String(rate) == option.value, SerialPort.baudRates.contains(rate) else {
                let rates = SerialPort.baudRates.map(String.init).joined(separator: ", ")
                throw .badOption("baud", value: option.value, expected: "auto or one of \(rates)")
            }
            baudRate = rate
        }
    }

    package var afterScheme: String {
        let portText =
            switch port {
            case .automatic: "auto"
            case .path(let path): "//" + PercentCoding.encode(path)
            }
        return portText + (baudRate.map { "?baud=\($0)" } ?? "")
    }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource {
        SerialSource(port, baudRate: baudRate, neverWrites: settings.neverWrites, memory: settings.memory, gpsdPorts: settings.gpsdPorts)
    }
}
