// WaypostPositioning
