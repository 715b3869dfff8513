@main enum WaypostCLI { static func main() {} }
