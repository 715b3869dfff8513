import WaypostSystem

extension SourceURL.Serial {
    /// Reads `auto` or `//PATH`, with `?baud=X` behind it or not.
    init(afterScheme text: Substring) throws(SourceURLError) {
        let (portText, options) = SourceURL.splitOptions(text)
        if portText == "auto" {
            self.init(.automatic)
        } else {
            // serial:/dev/ttyUSB0, as many will write it, is as clear.
            let pathText = portText.hasPrefix("//") ? portText.dropFirst(2) : portText
            guard pathText.first == "/", pathText.count > 1 else { throw .badSerialPort(String(text)) }
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

    var urlText: String {
        let portText =
            switch port {
            case .automatic: "auto"
            case .path(let path): "//" + PercentCoding.encode(path)
            }
        return "serial:" + portText + (baudRate.map { "?baud=\($0)" } ?? "")
    }
}
