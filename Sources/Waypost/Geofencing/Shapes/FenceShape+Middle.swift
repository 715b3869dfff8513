extension FenceShape {
    /// A representative place for people: the centre of a circle, or the middle of the box around the area.
    public var middle: Coordinate {
        if case .circle(let circle) = self { return circle.centre }
        let box = boundingBox
        let longitude = box.westDegrees + box.widthDegrees / 2
        let middle = Coordinate(
            latitudeDegrees: (box.southDegrees + box.northDegrees) / 2, longitudeDegrees: longitude > 180 ? longitude - 360 : longitude)
        guard let middle else { preconditionFailure("the middle of a box is on the Earth") }
        return middle
    }
}
