internal import CKVORecorder

extension Recorder {
  /// Why a flight recording is kept.
  package struct KeepReasons: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The library reports a violation.
    package static let finding = KeepReasons(rawValue: KVOS_KEEP_FINDING.rawValue)
    /// A crash was recorded, and the process went on.
    package static let crash = KeepReasons(rawValue: KVOS_KEEP_CRASH.rawValue)
    /// The program asks for it: always a reason.
    package static let call = KeepReasons(rawValue: KVOS_KEEP_CALL.rawValue)
  }

  /// How many bytes of events a flight recording has by default.
  package static let defaultFlightByteLimit = Int(KVOS_DEFAULT_FLIGHT_BYTE_LIMIT)

  /// Whether a log is being written.
  ///
  /// Costs one load.
  package var isLogging: Bool {
    Self.begin()
    return kvos_is_recording()
  }

  /// Whether a flight recording is kept when the library reports a violation.
  ///
  /// Costs one load.
  package var keepsFindings: Bool { kvos_keeps_for(KVOS_KEEP_FINDING) }

  /// Keeps the flight recording up to now, if `isFinding` or a call is one of its reasons; a log that is not one stays as
  /// it is.
  ///
  /// With no lock of the library held.
  ///
  /// - Returns: the path of the newest kept file, or of the log; nil: nothing is recorded, or kept.
  package func keepLog(reason: String, isFinding: Bool = false) -> String? {
    Self.begin()
    return Self.take(kvos_keep_log(isFinding ? KVOS_KEEP_FINDING : KVOS_KEEP_CALL, reason))
  }
}
