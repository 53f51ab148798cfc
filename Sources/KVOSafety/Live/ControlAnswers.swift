internal import KVORecorder

/// The answers to `kvo-audit control`.
///
/// Called on the thread of the socket, with no lock held.
enum ControlAnswers {
  /// Opens the socket if `KVO_SAFETY_CONTROL` is set.
  static func beginIfWanted() { Recorder.shared.beginControlOfEnvironment { answer($0) } }

  /// The answer to one line: a command, and after a space what belongs to it.
  static func answer(_ request: String) -> String {
    let words = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = words.count > 1 ? String(words[1]) : ""
    switch words.first ?? "" {
    case "status": return text(KVO.health.lines)
    case "start": return start(rest)
    case "stop":
      guard let path = KVO.recordingPath else { return "refused: nothing is recorded\n" }
      KVO.stopRecording()
      return text(["stopped: \(path)"])
    case "keep":
      guard KVO.isRecording else { return "refused: nothing is recorded\n" }
      guard let path = KVO.keepRecording(reason: rest.isEmpty ? "kvo-audit control" : rest) else {
        return "refused: the recording could not be kept\n"
      }
      return text(["kept: \(path)"])
    default: return "refused: it does not know \"\(words.first ?? "")\"\n"
    }
  }

  private static func start(_ path: String) -> String {
    if let path = KVO.recordingPath { return "refused: \(path) is being recorded already\n" }
    do {
      try KVO.startRecordingOfEnvironment(to: path)
      return text(["started: \(KVO.recordingPath ?? path)"])
    } catch {
      return "refused: \(error)\n"
    }
  }

  private static func text(_ lines: [String]) -> String { lines.reduce("ok\n") { $0 + $1 + "\n" } }
}
