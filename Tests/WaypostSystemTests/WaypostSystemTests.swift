// WaypostSystem
