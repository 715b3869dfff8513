// What the signatures of this module name of WaypostSystem, which is no product.
@_exported import struct WaypostSystem.SystemError
