internal import CKVOObjectiveC

/// Why an object cannot be observed through the Objective-C runtime.
public struct ObjectiveCError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for the error.
  ///
  /// More codes may come.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// No Objective-C runtime is loaded in this process, or none with a known Foundation.
    public static let noRuntime = Code(name: "noRuntime")
    /// The runtime lacks functions to create classes.
    public static let incompleteRuntime = Code(name: "incompleteRuntime")
    /// There was no memory.
    public static let outOfMemory = Code(name: "outOfMemory")
  }

  /// The reason for the error.
  public let code: Code

  /// The reason, as a sentence.
  public var description: String {
    switch code {
    case .noRuntime:
      "no Objective-C runtime with a Foundation is loaded in this process; link GNUstep's "
        + "libgnustep-base, or open it with dlopen, before objects are observed"
    case .incompleteRuntime:
      "the Objective-C runtime of this process has no objc_allocateClassPair and what belongs to it, "
        + "without which no observer can be made"
    default:
      "there was no memory for an observer"
    }
  }
}

extension ObjectiveCError {
  /// Nil if nothing is missing.
  init?(_ state: KVOSObjectiveCState) {
    switch state {
    case KVOS_OBJECTIVE_C_READY: return nil
    case KVOS_OBJECTIVE_C_MISSING: code = .noRuntime
    default: code = .incompleteRuntime
    }
  }
}
