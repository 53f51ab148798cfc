/// Why a walk could not inspect a part of memory.
public enum OpaqueReason: UInt8, Sendable, Hashable, CaseIterable {
  /// The type of the field or capture has no name in the runtime, or is of an unknown kind.
  case unknownType
  /// The module of the type was built with `-disable-reflection-metadata`.
  case noReflectionMetadata
  /// The field's type is noncopyable: the compiler does not describe it (`Mutex`, `Atomic`).
  case noncopyable
  /// The type depends on a parameter pack.
  case parameterPack
  /// A block in the form that C uses.
  case block
  /// A pointer to memory that is managed by the program (`UnsafeMutablePointer`, `Unmanaged`) or by
  /// C code (`OpaquePointer`).
  case unmanagedMemory
  /// Elements that are allocated after an object (`ManagedBuffer`): only the object knows how many
  /// are in use.
  case managedBuffer
  /// The arguments of a key path's subscripts.
  case keyPathArguments
  /// An unfinished task: its functions hold references while they wait, or on the stack of the
  /// thread that runs them.
  case task
  /// An object of C or of another language, or memory that is not an object.
  case foreignObject
  /// The capture's type is generic, and the context does not identify its parameters.
  case genericCapture
  /// There was not enough memory for the walk itself, so objects are missing.
  case outOfMemory
  /// The compiler does not describe what the closure captured.
  case undescribedCaptures
  /// The walk exceeded ``RetainSearch/timeLimit``, so objects are missing.
  case outOfTime
  /// Opaque bytes lead to more memory than a search examines.
  case searchLimit
  /// An object of the library that only opaque bytes lead to: another thread may be making it, so that it is not asked
  /// what it keeps.
  case notAsked

  /// Whether it is about a part of an object, and not about the whole search.
  var isOfMemory: Bool {
    switch self {
    case .outOfMemory, .outOfTime, .searchLimit: false
    default: true
    }
  }

  /// The reason as part of a sentence.
  public var explanation: String {
    switch self {
    case .unknownType: "its type is of a kind that is not known"
    case .noReflectionMetadata: "its module was built without reflection metadata"
    case .noncopyable: "the compiler does not describe noncopyable types"
    case .parameterPack: "its type has a parameter pack"
    case .block: "a block's captures are not described"
    case .unmanagedMemory: "the program manages the memory itself"
    case .managedBuffer: "elements after the object are not described"
    case .keyPathArguments: "a key path's arguments are not described"
    case .task: "what a task holds until it ends is not described"
    case .foreignObject: "it is not a Swift object"
    case .outOfMemory: "there is no memory for a larger walk"
    case .undescribedCaptures: "the compiler does not describe the closure's captures"
    case .outOfTime: "there is no time for a longer walk"
    case .searchLimit: "opaque memory leads to more than a search examines"
    case .notAsked: "only memory that is not described leads to it, so it is not asked"
    case .genericCapture: "the closure does not say what its generic types are"
    }
  }
}
