/// The words with which a runtime, a debugger or a report states that a process crashed.
enum CrashStatement {
  static let uncaught: StaticString = "Terminating app due to uncaught exception '"
  static let type: StaticString = "Exception Type:"
  static let signal: StaticString = "Program received signal "
  /// Of Mono.
  static let native: StaticString = "Got a SIG"
  static let all = [uncaught, type, signal, native]
  static let maximumByteCount = 64

  /// Where the next of them begins in `bytes`.
  ///
  /// - Complexity: O(length).
  static func next(in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    all.compactMap { WordScanner.first($0, in: bytes, from: start, to: end) }.min()
  }
}
