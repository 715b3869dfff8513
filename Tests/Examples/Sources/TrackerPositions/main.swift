import WaypostKit

for try await position in Tracker().positions() {
    print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
}
