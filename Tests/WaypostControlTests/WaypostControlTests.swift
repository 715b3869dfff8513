// WaypostControl
