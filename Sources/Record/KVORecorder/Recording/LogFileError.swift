internal import CKVORecorder
internal import Glibc

/// Why a log could not be opened, in a sentence that names the path.
package struct LogFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The path is empty.
    case emptyPath
    /// The system refused; `errno` holds its number.
    case system(errno: Int32)
    /// The path names something other than a regular file.
    case notARegularFile(kind: String)
    /// The existing file is not a log, and not empty: another program may own it.
    case notALog
    /// The library for Objective-C programs writes the log of this process.
    case recordedAlready
  }

  package let code: Code
  package let path: String

  package var description: String {
    switch code {
    case .emptyPath:
      "the path of the log is empty; give one, such as \"app-%p.kvolog\" (%p is the process id)"
    case .system(let number): text(number, kind: nil)
    case .notARegularFile(let kind): text(EINVAL, kind: kind)
    case .notALog: text(KVOS_NO_LOG, kind: nil)
    case .recordedAlready:
      "libKVOSafetyPreload.so records this process already, and what is observed in Swift is not in its "
        + "log; run the program without the library to have it in \"\(path)\""
    }
  }

  private func text(_ number: Int32, kind: String?) -> String {
    Recorder.take(kvos_failure_text(number, path, kind)) ?? String(cString: strerror(number))
  }
}

extension LogFileError {
  /// The error of the C half, whose path is freed.
  init(_ failure: KVOSLogFailure, wanted: String) {
    path = Recorder.take(failure.path) ?? wanted
    code =
      if failure.code == KVOS_RECORDED_ELSEWHERE {
        .recordedAlready
      } else if failure.code == KVOS_NO_LOG {
        .notALog
      } else if let kind = failure.kind {
        .notARegularFile(kind: String(cString: kind))
      } else {
        .system(errno: failure.code)
      }
  }
}
