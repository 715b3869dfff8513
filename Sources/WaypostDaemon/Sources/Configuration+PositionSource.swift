import Waypost
import WaypostConfiguration
import WaypostPositioning

extension Configuration {
    /// What gives the positions: the one source, or several as a fallback.
    ///
    /// - Parameter stateFolder: where what was learned about receivers is kept.
    func positionSource(stateFolder: String) -> any PositionSource {
        // The same source again would only compete with itself.
        var distinct: [Source] = []
        for source in sources where !distinct.contains(where: { $0.url == source.url }) { distinct.append(source) }
        let memory = BaudMemory(path: stateFolder + "/baud-rates")
        let gpsdPorts = localGPSDPorts.map { UInt16($0) }
        let members = distinct.map { $0.positionSource(memory: memory, gpsdPorts: gpsdPorts) }
        if members.count == 1 { return members[0] }
        var times = FallbackRule.Times()
        times.firstFix = Int64(tracking.firstFixTimeout / .milliseconds(1))
        return FallbackSource(members, times: times)
    }
}

extension Configuration.Source {
    /// The source that the URL names.
    ///
    /// - Parameter gpsdPorts: where gpsds of this machine listen, whose receivers a serial source leaves alone.
    fileprivate func positionSource(memory: BaudMemory, gpsdPorts: [UInt16]) -> any PositionSource {
        switch url {
        case .gpsd(let gpsd):
            GPSDSource(
                host: gpsd.host, port: UInt16(gpsd.port), device: gpsd.device, user: gpsdUser.isEmpty ? nil : gpsdUser)
        case .serial(let serial):
            SerialSource(
                serial.port.sourcePort, baudRate: serial.baudRate, neverWrites: neverWrites, memory: memory, gpsdPorts: gpsdPorts)
        case .nmea(let nmea):
            switch nmea.input {
            case .standardInput: NMEAFileSource(path: "-", speed: nmea.speed)
            case .file(let path): NMEAFileSource(path: path, speed: nmea.speed)
            }
        case .replay(let replay):
            ReplaySource(
                path: replay.path, format: replay.format,
                options: .init(
                    style: replay.style, interval: .seconds(replay.intervalSeconds), speed: replay.speed, rebasesTimes: replay.rebasesTimes)
            )
        case .route(let route): route.positionSource
        case .exec(let program): ExecSource(command: program.command)
        case .nmeaTCP(let server): NMEATCPSource(host: server.host, port: UInt16(server.port))
        case .nmeaUDP(let socket): NMEAUDPSource(address: socket.host, port: UInt16(socket.port))
        }
    }
}

extension SourceURL.Route {
    /// The simulated drive.
    fileprivate var positionSource: SimulatedRouteSource {
        switch course {
        case .builtIn(let builtIn): return SimulatedRouteSource(builtIn)
        case .file(let path):
            var options = RouteSimulator.Options()
            options.speedMetresPerSecond = speedMetresPerSecond
            options.intervalMilliseconds = Int64((intervalSeconds * 1_000).rounded())
            return SimulatedRouteSource(path: path, options: options)
        }
    }
}

extension SourceURL.Serial.Port {
    /// The port, in the words of the source.
    fileprivate var sourcePort: SerialSource.Port {
        switch self {
        case .automatic: .automatic
        case .path(let path): .path(path)
        }
    }
}
