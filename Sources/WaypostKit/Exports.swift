// An application needs one import: these modules have the types in the signatures of this one.
@_exported import Waypost
@_exported import WaypostControl
@_exported import WaypostDispatch
@_exported import WaypostPositioning
@_exported import WaypostRecording
