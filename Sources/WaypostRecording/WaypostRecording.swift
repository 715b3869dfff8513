// WaypostRecording
