/// What a text of a log is, which says what of it is a name.
enum NameRole: UInt64, Hashable, Sendable {
  /// A class or a key path: its parts are names, numbers stay.
  case name
  /// A function, a source file or a location in one: as names, and what a file name ends in stays.
  case code
  /// The path or name of an image: as code, and what the file names of libraries begin with stays.
  case image
  /// What people wrote: a thread, a queue, a reason. Numbers may be names there.
  case prose
  /// Something that is nothing but equal to another: the fingerprint of a value.
  case opaque
  /// The build-id of an image, in hexadecimal digits.
  case buildID
}
