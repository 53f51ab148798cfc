/// A part of a value or an object that may contain strong references.
///
/// Weak and unowned references have no slots. Slots and the data that they point to are created
/// once per type and exist for the life of the process.
struct Slot {
  enum Kind: UInt8 {
    /// One word: a reference or null.
    case reference
    /// A reference to a box with the value: of a `var` that closures share, or of an indirect case.
    case box
    /// A reference whose upper and lower bits may have other uses.
    case bridge
    /// Code and context.
    case closure
    /// Three words for the value, and its type.
    case existential
    /// An enum, whose value determines which slots apply.
    case enumeration
    /// A pointer to memory that the program manages itself, which may contain references.
    case handle
    /// Opaque bytes.
    case opaque
    /// A reference to an object that has values after its fields, which its class does not describe.
    case buffer
  }

  var kind: Kind
  /// The reason for an opaque slot; meaningless for other kinds.
  var reason = OpaqueReason.unknownType
  /// The index of the capture in a closure's context, or `noCapture`.
  var capture = Slot.noCapture
  /// The offset from the start of the value or object, in bytes.
  var offset: UInt32
  /// The number of opaque bytes; 0 for other kinds.
  var byteCount: UInt32 = 0
  /// The index of the text that names the slot in its value: `pair.owner`, or nothing.
  var label: Int32
  var enumPlan: UnsafePointer<EnumPlan>?

  static let noCapture = UInt16.max
}

/// The slots of values of one type.
struct ValueLayout {
  var slots: UnsafeBufferPointer<Slot>
  var size: Int
  var stride: Int
  var alignmentMask: Int
}

/// How to find the references in an enum's value.
struct EnumPlan {
  struct Case {
    var slots: UnsafeBufferPointer<Slot>
  }

  var type: UnsafeRawPointer
  var size: Int
  /// Whether the payload's bytes must be separated from the tag's, in a copy.
  var needsProjection: Bool
  /// The cases with payload, in the order of their tags.
  var cases: UnsafeBufferPointer<Case>
}

/// How to find the references in one heap object.
struct HeapPlan {
  enum Kind: UInt8 {
    /// Slots at fixed offsets: of a class, a closure's context, a box.
    case fields
    case array
    case dictionary
    case set
    case errorBox
    /// A closure's context whose types depend on the context itself.
    case genericContext
    /// The description of the class supplies the references of its objects.
    case asked
    /// A block: its slots are the closure that it may contain, opaque bytes, and the block that a
    /// block of Dispatch calls.
    case block
    /// A task: it keeps its result, or its closure and what its functions hold while they wait.
    case task
    /// Everything in it is opaque.
    case opaque
  }

  enum Role: UInt8 {
    /// A class instance.
    case instance
    /// Storage of a collection, a box, or an internal object of KVOSafety, none of which a
    /// programmer names.
    case storage
    /// A closure's context, or a box that the compiler created in the same form.
    case context
  }

  var kind: Kind
  var role: Role
  /// Whether the class has a description of its references.
  var isKnown = false
  /// Whether an object is an observation.
  var isObservation = false
  /// Whether the deallocation of an object ends the observations that it refers to.
  var isKeeper = false
  /// Whether objects may have opaque parts.
  var hasOpaque = false
  /// The reason why bytes after the fields are opaque, or nil.
  var tail: OpaqueReason?
  /// The object's size without memory that is allocated after it.
  var byteCount: UInt
  /// The slots of the fields.
  var slots = UnsafeBufferPointer<Slot>(start: nil, count: 0)
  /// The layout of the elements of arrays and sets, or of keys.
  var element: UnsafePointer<ValueLayout>?
  /// The layout of the values of dictionaries.
  var value: UnsafePointer<ValueLayout>?
  /// The metadata of the objects, or of one of them.
  var metadata: UnsafeRawPointer?
}
