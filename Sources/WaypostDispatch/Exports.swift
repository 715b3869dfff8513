// What the signatures of this module name of WaypostSystem, which is no product: its other types are not for applications.
@_exported import class WaypostSystem.HTTPClient
@_exported import struct WaypostSystem.HTTPRequest
@_exported import struct WaypostSystem.HTTPResponse
@_exported import enum WaypostSystem.MQTTError
@_exported import struct WaypostSystem.MQTTMessage
@_exported import struct WaypostSystem.MQTTSettings
@_exported import struct WaypostSystem.MQTTTopic
@_exported import struct WaypostSystem.SystemError
