// WaypostConfiguration
