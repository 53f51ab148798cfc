/// Why a walk could not look into something.
public enum OpaqueReason: UInt8, Sendable, Hashable, CaseIterable {
  /// A type of the field or capture that the runtime cannot name, or of a kind that is not known.
  case unknownType
  /// The module of the type was built with `-disable-reflection-metadata`.
  case noReflectionMetadata
  /// The field's type is not copyable: the compiler does not say what it is (`Mutex`, `Atomic`).
  case noncopyable
  /// The type is of a parameter pack.
  case parameterPack
  /// A block as C has it.
  case block
  /// A pointer to memory that the program manages itself (`UnsafeMutablePointer`, `Unmanaged`), or
  /// that C does (`OpaquePointer`).
  case unmanagedMemory
  /// Elements that are allocated behind an object (`ManagedBuffer`): how many are in use, it alone
  /// knows.
  case managedBuffer
  /// The arguments of a key path's subscripts.
  case keyPathArguments
  /// A task that has not ended: what its functions hold while they wait, or on the stack of the thread that runs them.
  case task
  /// An object of C or of another language, or memory that is none of an object.
  case foreignObject
  /// The capture's type is generic, and the context does not say enough of its parameters.
  case genericCapture
  /// There was no memory for the walk itself, so that objects are missing.
  case outOfMemory
  /// The compiler does not describe what the closure captured.
  case undescribedCaptures
  /// The walk took longer than ``RetainSearch/timeLimit``, so that objects are missing.
  case outOfTime
  /// Bytes that are not understood lead to more memory than a search looks at.
  case searchLimit

  /// The reason as a sentence says it.
  public var explanation: String {
    switch self {
    case .unknownType: "its type is of a kind that is not known"
    case .noReflectionMetadata: "its module was built without reflection metadata"
    case .noncopyable: "the compiler does not describe noncopyable types"
    case .parameterPack: "its type has a parameter pack"
    case .block: "a block's captures are not described"
    case .unmanagedMemory: "the program manages the memory itself"
    case .managedBuffer: "elements behind the object are not described"
    case .keyPathArguments: "a key path's arguments are not described"
    case .task: "what a task holds until it ends is not described"
    case .foreignObject: "it is no Swift object"
    case .outOfMemory: "there is no memory for a larger walk"
    case .undescribedCaptures: "the compiler does not describe the closure's captures"
    case .outOfTime: "there is no time for a longer walk"
    case .searchLimit: "what is not understood leads to more than a search looks at"
    case .genericCapture: "the closure does not say what its generic types are"
    }
  }
}
