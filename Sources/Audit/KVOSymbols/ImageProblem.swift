/// The reason why an image's file could not be read, or not completely.
///
/// Each case makes one sentence for the report; the first word of it is the quoted path.
enum ImageProblem: Error, Equatable {
  /// The path names nothing on this machine.
  case missing
  /// The file cannot be opened or read; the associated value is the system's reason.
  case unreadable(String)
  /// The path names a directory, a device or a pipe.
  case notRegularFile
  /// The file is something else than ELF.
  case notELF
  /// An ELF file that is not loadable: an object file, a core dump.
  case notLoadable
  /// The file ends before its own tables say, or they contradict each other.
  case damaged(String)
  /// The file was rebuilt since the recording.
  case rebuilt(recorded: String, found: String)
  /// The log names a build-id, the file has none.
  case buildIDGone(recorded: String)
  /// Functions are known from the symbol table, lines are not.
  case noDebugInformation
  /// Only the functions that the image exports are known.
  case onlyExportedSymbols
  /// Nothing is known.
  case stripped

  /// The sentence for the report, about the file at `path`.
  func sentence(about path: String) -> String {
    let name = "\"\(path)\""
    switch self {
    case .missing:
      return "\(name) does not exist on this machine: its frames stay addresses"
    case .unreadable(let reason):
      return "\(name) cannot be read (\(reason)): its frames stay addresses"
    case .notRegularFile:
      return "\(name) is not a regular file: its frames stay addresses"
    case .notELF:
      return "\(name) is not an ELF file: its frames stay addresses"
    case .notLoadable:
      return "\(name) is neither an executable nor a shared library: its frames stay addresses"
    case .damaged(let how):
      return "\(name) is damaged (\(how)): its frames stay addresses"
    case .rebuilt(let recorded, let found):
      let (there, here) = Self.shortened(recorded, found)
      return "\(name) was rebuilt since the recording (build-id \(there) there, \(here) here): "
        + "its frames stay addresses"
    case .buildIDGone(let recorded):
      let there = Self.shortened(recorded, "").0
      return "\(name) was rebuilt since the recording (build-id \(there) there, none here): "
        + "its frames stay addresses"
    case .noDebugInformation:
      return "\(name) has no debug information: its frames have functions but no lines; "
        + "build with -g"
    case .onlyExportedSymbols:
      return "\(name) has no debug information and no symbol table: only the functions that it "
        + "exports have names; build with -g"
    case .stripped:
      return "\(name) has no debug information and no symbol table: its frames stay addresses; "
        + "build with -g"
    }
  }

  /// The first eight digits of two build-ids, or as many more as distinguish them.
  private static func shortened(_ first: String, _ second: String) -> (String, String) {
    let common = zip(first, second).prefix { $0 == $1 }.count
    let length = max(8, common + 1)
    return (cut(first, to: length), cut(second, to: length))
  }

  private static func cut(_ buildID: String, to length: Int) -> String {
    buildID.count > length ? "\(buildID.prefix(length))…" : buildID
  }
}
