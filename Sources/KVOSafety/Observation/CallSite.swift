internal import KVORecorder
internal import KVOTrace

/// The source location of a call, as the compiler gives it.
///
/// Copies no text, so that passing it costs nothing; it is named when an event or a report needs
/// it.
@usableFromInline
struct CallSite: Sendable {
  let fileID: StaticString
  let line: UInt
  let function: StaticString

  @usableFromInline
  init(fileID: StaticString, line: UInt, function: StaticString) {
    self.fileID = fileID
    self.line = line
    self.function = function
  }

  /// The file, line and function as logs have them: `Screen.swift:12 viewDidDisappear()`.
  var id: StringID {
    let site = SourceSite(location: "\(fileParts.file):\(line)", function: "\(function)")
    return Recorder.shared.id(of: site.text)
  }

  /// The location as a stack of one frame, for events that carry no stack.
  var stack: StackID {
    let (module, file) = fileParts
    return Recorder.shared.id(
      ofLine: UInt32(clamping: line),
      file: file,
      module: module,
      function: "\(function)"
    )
  }

  /// `#fileID` is the module, a slash, and the file's name.
  private var fileParts: (module: String, file: String) {
    let parts = "\(fileID)".split(separator: "/", maxSplits: 1).map(String.init)
    return parts.count == 2 ? (parts[0], parts[1]) : ("", parts.first ?? "")
  }
}
