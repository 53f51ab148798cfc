internal import Glibc

/// Why a log could not be opened, in a sentence that names the path.
package struct LogFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The path is empty.
    case emptyPath
    /// The system refused; `errno` holds its number.
    case system(errno: Int32)
    /// The path names something else than a regular file.
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
    case .system(let number):
      "cannot write the log \"\(path)\": \(String(cString: strerror(number)))"
    case .notARegularFile(let kind):
      "cannot write the log \"\(path)\": it is \(kind), and a log must be a regular file"
    case .notALog:
      "cannot write the log \"\(path)\": the file that is there is no log, and is left as it is"
    case .recordedAlready:
      "libKVOSafetyPreload.so records this process already, and what is observed in Swift is not in its "
        + "log; run the program without the library to have it in \"\(path)\""
    }
  }
}
