@main enum WaypostDaemon { static func main() {} }
