/// A part of a value or an object in which strong references may be.
///
/// Weak and unowned references have none. Slots and what they point to are made once a type and stay
/// for the life of the process.
struct Slot {
  enum Kind: UInt8 {
    /// One word: a reference or nothing.
    case reference
    /// A reference to a box that has the value: of a `var` that closures share, of an indirect case.
    case box
    /// A reference whose upper and lower bits may be used otherwise.
    case bridge
    /// Code and context.
    case closure
    /// Three words for the value, and its type.
    case existential
    /// An enum: which slots count, its value says.
    case enumeration
    /// A pointer to memory that the program manages itself, with references in it perhaps.
    case handle
    /// Bytes that are not understood.
    case opaque
  }

  var kind: Kind
  /// Why it is not understood; without meaning for what is.
  var reason = OpaqueReason.unknownType
  /// Which capture of a closure's context this is of, or `noCapture`.
  var capture = Slot.noCapture
  /// From the start of the value or object, in bytes.
  var offset: UInt32
  /// How many bytes are not understood; 0 for other kinds.
  var byteCount: UInt32 = 0
  /// The number of the text that names the slot within its value: `pair.owner`, or nothing.
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
  /// Whether the payload's bytes have to be separated from the tag's, in a copy.
  var needsProjection: Bool
  /// Payload cases, in the order of their tags.
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
    /// Who knows the class says what its objects keep.
    case asked
    /// A block: the slots are of the closure that it may have, of bytes that are not understood, and of the
    /// block that one of Dispatch's calls.
    case block
    /// A task: it has what it returned, or what its functions hold while they wait.
    case task
    /// Nothing of it is understood.
    case opaque
  }

  enum Role: UInt8 {
    /// A class instance.
    case instance
    /// Storage of a collection, a box, a part of the layer: no programmer names it.
    case storage
    /// A closure's context, or a box that the compiler made in the same form.
    case context
  }

  var kind: Kind
  var role: Role
  /// Whether somebody knows the class better than its metadata says.
  var isKnown = false
  /// Whether an object is an observation.
  var isObservation = false
  /// Whether an object may be in part not understood.
  var hasOpaque = false
  /// What is not understood of the bytes behind the fields, or nil.
  var tail: OpaqueReason?
  /// The object's bytes without what is allocated behind it.
  var byteCount: UInt
  /// Of fields.
  var slots = UnsafeBufferPointer<Slot>(start: nil, count: 0)
  /// Of the elements of arrays and sets, of keys.
  var element: UnsafePointer<ValueLayout>?
  /// Of values of dictionaries.
  var value: UnsafePointer<ValueLayout>?
  /// The metadata of the objects, or of one of them.
  var metadata: UnsafeRawPointer?
}
