extension SnapshotProcess {
  /// The number of copies that are made if the earlier ones give no answer.
  static var attemptLimit: Int { 3 }

  /// Makes copies until one gives an answer.
  ///
  /// - Parameters:
  ///   - limit: the time limit of all attempts together.
  ///   - decode: the answer in the bytes that a copy sent, or nil if they are malformed.
  ///   - begin: makes a copy.
  /// - Returns: the decoded answer.
  /// - Throws: `RetainSnapshotError` if no copy can be made, or it does not answer in time, or none
  ///   of ``attemptLimit`` copies gives an answer.
  static func answer<Answer>(
    within limit: Duration,
    decode: ([UInt8]) -> Answer?,
    _ begin: () -> Result<SnapshotProcess, Errno>
  ) throws(RetainSnapshotError) -> Answer {
    let deadline = ContinuousClock.now + limit
    var attempt = 1
    while true {
      let error: RetainSnapshotError
      switch begin() {
      case .failure(let failure):
        throw RetainSnapshotError("the process cannot be copied", errno: failure.number)
      case .success(let copy):
        switch copy.end(by: deadline) {
        case .answer(let bytes):
          if let answer = decode(bytes) { return answer }
          error = RetainSnapshotError(.crashed, "gave an answer that is cut")
        case .crashed(let signal):
          error = RetainSnapshotError(.crashed, "crashed with signal \(signal)")
        case .blocked:
          error = RetainSnapshotError(.blocked, "waits for a lock that another thread held")
        case .timedOut:
          throw RetainSnapshotError(.timedOut, "did not answer within \(limit)")
        }
      }
      if attempt == attemptLimit { throw error }
      attempt += 1
    }
  }
}

extension RetainSnapshotError {
  fileprivate init(_ code: Code, _ predicate: String) {
    self.init(code: code, message: "the copy of the process \(predicate)")
  }
}
