package import Foundation

/// A library that is preloaded into a program, in which one call of the program's own code to the system fails.
///
/// See `Tests/Programs/FaultShim/faults.c`.
package struct FaultShim {
  /// The errors that each function can have, as far as they differ for its callers.
  package static let errors: [String: [Int32]] = [
    "open": [EACCES, EMFILE, ENFILE, ENOENT, ENOSPC, EROFS, EINTR, ELOOP, EIO],
    "close": [EINTR, EIO],
    "read": [EIO, EINTR],
    "write": [EIO, ENOSPC, EINTR, EDQUOT],
    "pread": [EIO, EINTR],
    "pwrite": [EIO, ENOSPC, EINTR, EDQUOT],
    "fallocate": [ENOSPC, EOPNOTSUPP, EINTR, EIO, EFBIG, EDQUOT],
    "ftruncate": [EIO, EINTR, EPERM],
    "mmap": [ENOMEM, EACCES, ENODEV],
    "munmap": [ENOMEM],
    "mprotect": [ENOMEM, EACCES],
    "madvise": [EINVAL, ENOMEM],
    "rename": [EACCES, ENOSPC, EIO, EROFS],
    "unlink": [EACCES, EIO],
    "flock": [EWOULDBLOCK, ENOLCK, EINTR],
    "fstat": [EIO],
    "lstat": [EIO, EACCES],
    "stat": [EIO, EACCES],
    "mkdir": [EACCES],
    "pthread_create": [EAGAIN],
    "sem_init": [ENOSYS],
    "malloc": [ENOMEM],
    "calloc": [ENOMEM],
    "realloc": [ENOMEM],
    "readlink": [EACCES],
    "sigaltstack": [ENOMEM],
  ]

  /// One call that fails.
  package struct Fault: Sendable, CustomStringConvertible {
    package var call: String
    /// Which call of the function, from 1 on.
    package var number: Int
    package var error: Int32

    package init(call: String, number: Int, error: Int32) {
      self.call = call
      self.number = number
      self.error = error
    }

    package var description: String { "\(call)-\(number)-\(error)" }
  }

  private let library: String

  /// Builds the library in a folder.
  package init(in folder: ScratchFolder) throws {
    library = folder.path("libfaults.so")
    let source = ProgramRun.package.appending(path: "Tests/Programs/FaultShim/faults.c").path
    let build = try ProgramRun(
      command: ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
    )
    guard build.status == 0 else { throw Failure(description: build.complaint) }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// The variables that make one call fail, of the program or of a library that is preloaded into it.
  package func environment(_ fault: Fault, of other: URL? = nil) -> [String: String] {
    let variables = [
      "FAULT_CALL": fault.call, "FAULT_NUMBER": "\(fault.number)",
      "FAULT_ERRNO": "\(fault.error)",
    ]
    return variables.merging(preloading(other)) { $1 }
  }

  /// The variables that make it write to `file` how often it calls each function.
  package func environment(
    countingInto file: String,
    of other: URL? = nil
  ) -> [String: String] {
    preloading(other).merging(["FAULT_COUNTS": file]) { $1 }
  }

  private func preloading(_ other: URL?) -> [String: String] {
    guard let other else { return ["LD_PRELOAD": library] }
    // What comes last is initialized first.
    return ["LD_PRELOAD": "\(other.path):\(library)", "FAULT_FILE": "/\(other.lastPathComponent)"]
  }

  /// How often each function was called.
  package static func counts(in file: String) throws -> [String: Int] {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let pairs = lines.map { $0.split(separator: " ") }.map { (String($0[0]), Int($0[1]) ?? 0) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Every call with every error in the long form of tests; in the short one the first, the middle or the last call of
  /// each function, in turn, with one error.
  ///
  /// - Parameters:
  ///   - counts: how often each function was called.
  ///   - limit: of how many calls of a function one fails in the long form, which are spread over all of them.
  /// - Returns: the calls that fail, in the order of their functions.
  package static func faults(in counts: [String: Int], limit: Int = .max) -> [Fault] {
    let calls = errors.sorted { $0.key < $1.key }
    return calls.enumerated().flatMap { index, entry -> [Fault] in
      let (call, errors) = entry
      guard let count = counts[call], count > 0 else { return [] }
      let step = count / limit + 1
      let numbers =
        Rounds.areMany
        ? Array(stride(from: 1, through: count, by: step))
        : [[1, (count + 1) / 2, count][index % 3]]
      return numbers.flatMap { number in
        (Rounds.areMany ? errors : Array(errors.prefix(1))).map {
          Fault(call: call, number: number, error: $0)
        }
      }
    }
  }
}
