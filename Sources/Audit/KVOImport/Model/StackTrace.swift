/// A stack as a report prints it.
struct StackTrace: Sendable {
  /// One line of it; unknown values are nil, 0 for the line.
  struct Frame: Hashable, Sendable {
    var number: Int?
    var image: String?
    var address: UInt64?
    /// The function, demangled; nil if it was stripped.
    var symbol: String?
    var file: String?
    var line = 0
    /// The UUID of the image, and the offset of the address in it; for dSYM files.
    var imageUUID: String?
    var imageOffset: UInt64?
    /// Whether it is one of C# or JavaScript.
    var isManaged = false
    /// Whether the report's list of images has the image in a folder of the system.
    var isInSystem = false
  }

  /// Whose stack it is.
  enum Role: Hashable, Sendable {
    /// Of the exception that ended the process: the thread's own only shows how it was ended.
    case exception
    /// Of the thread that crashed.
    case crashed
    /// Of another thread.
    case other
    /// The text does not state it.
    case unknown
  }

  var role = Role.unknown
  /// The number of the thread, as in the report.
  var thread: String?
  var threadName: String?
  /// Innermost first.
  var frames: [Frame] = []
  /// Where it is in the text: the lines of its frames.
  var lines: Range<Int>
  /// The line of the input with its first frame; 0: not known.
  var inputLine = 0

  /// Functions that the runtime runs before any user function.
  private static let transparent = [
    "objc_msgSend", "objc_retain", "objc_release", "objc_autorelease", "objc_opt_", "objc_getClass",
    "object_getClass", "object_isClass", "class_", "lookUpImp", "cache_getImp", "_objc_",
    "objc_loadWeak",
    "_object_getClass", "_object_isClass", "_NSKVONotifyingOriginalClassForIsa",
    "_class_", "_lookUpImp", "___forwarding___", "_CF_forwarding_prep_", "objc_storeStrong",
    "objc_object::", "swift_isaMask", "_platform_", "<unknown>", "getMethodNoSuper",
    "search_method",
    "__forwarding__", "objc_exception_rethrow", "forwarding_prep", "_sigtramp", "getIsa",
    "(anonymous namespace)::AutoreleasePoolPage", "weak_", "initializeNonMetaClass", "realizeClass",
    // The lookups of GNUstep's runtimes and of gcc's.
    "objc_msg_lookup", "slowMsgLookup", "get_implementation", "__objc_msg", "nil_method",
    "CFRetain", "CFRelease", "_CFRetain", "_CFRelease", "CFGetTypeID", "doesNotRecognizeSelector",
  ]

  /// The frames from the crashed one on: those above belong to the signal handler.
  private var crashed: ArraySlice<Frame> {
    guard
      let handler = frames.prefix(20).lastIndex(where: \.isSignalHandlerEnd)
    else { return frames[...] }
    // A jump to no function at all leaves a frame without one.
    return frames[(handler + 1)...].drop { $0.image == "???" || ($0.address ?? 1) == 0 }
  }

  /// Whether the system called the handler of a signal in it.
  var hasSignalHandler: Bool { frames.prefix(20).contains(where: \.isSignalHandlerEnd) }

  /// The first frame that is not a runtime function before user code.
  var top: Frame? {
    crashed.first { frame in
      guard let symbol = frame.symbol else { return true }
      return !Self.transparent.contains { symbol.hasPrefix($0) }
    }
  }

  /// Whether the innermost frame is such a runtime function, where a message to a deallocated object crashes.
  var beginsInRuntime: Bool {
    guard let symbol = crashed.first?.symbol else { return false }
    return Self.transparent.contains { symbol.hasPrefix($0) }
  }

  /// Whether the innermost function reads an object's class or counts its references.
  ///
  /// A pointer that is signed is checked there: a deallocated object ends the process with a breakpoint.
  var beginsAtObject: Bool {
    guard let symbol = crashed.first?.symbol?.drop(while: { $0 == "_" }) else { return false }
    return ["objc_", "object_", "class_", "lookUpImp", "cache_getImp", "CFRetain", "CFRelease"]
      .contains { symbol.hasPrefix($0) } && !symbol.hasPrefix("objc_exception")
      && !symbol.hasPrefix("objc_fatal") || symbol.hasPrefix("forwarding_")
  }

  /// The innermost functions, without those that raise an exception or crash on behalf of others: two crashes of the
  /// same cause have the same.
  var outline: [String] {
    let named = frames.filter { frame in
      guard let symbol = frame.symbol else { return false }
      return !frame.endsUnwinding && !symbol.contains("NSException")
        && !Self.transparent.contains { symbol.hasPrefix($0) }
    }
    return named.prefix(5).compactMap(\.symbol)
  }

  /// Whether it is a stack of C# or JavaScript.
  var isManaged: Bool { frames.first?.isManaged == true }

  /// The purpose of the innermost frames.
  ///
  /// Observers are also retained while one of them is removed: then the next outer frame decides.
  var meaning: RuntimeFunction.Meaning? {
    guard let top else { return nil }
    let below = frames.drop { $0 != top }.dropFirst().first { $0.symbol != nil }
    return top.meaning == .retainsObservers && below?.meaning == .registers
      ? .registers : top.meaning
  }

  /// How many notifications within each other are a recursion.
  private static let recursionDepth = 9

  /// Whether a notification was delivered within itself until the stack was full.
  ///
  /// The same call is then in the stack at the same address each time. What is on top was only called last.
  var isRecursive: Bool {
    var counts: [UInt64?: Int] = [:]
    for frame in frames where frame.symbol?.contains("NSKeyValueNotifyObserver") == true {
      counts[frame.address, default: 0] += 1
    }
    return counts.values.contains { $0 >= Self.recursionDepth }
  }

  /// Whether the registration of a class failed, called by the runtime's creation of an observed subclass.
  var registersNoClass: Bool {
    top?.symbol?.hasSuffix("objc_registerClassPair") == true
      && frames.drop { $0 != top }.dropFirst().first?.meaning == .makesClass
  }

  /// Whether the function of any frame is known.
  var hasNames: Bool { frames.contains { $0.symbol != nil } }

  /// Whether any frame's function contains `text`.
  func calls(_ text: String) -> Bool {
    frames.contains { $0.symbol?.contains(text) == true }
  }
}

extension StackTrace.Frame {
  /// The purpose of the function, if it is one of Foundation's KVO functions.
  var meaning: RuntimeFunction.Meaning? { symbol.flatMap(RuntimeFunction.meaning) }

  /// Whether the runtime delivers notifications in this function.
  var isDelivery: Bool { meaning == .delivers || meaning == .retainsObservers }

  /// Whether the runtime keeps its lists of registrations in this function.
  var isRegistration: Bool { meaning == .registers }

  /// Whether an exception was thrown here, or ended the process: what is above it handles that.
  ///
  /// The runtime of C++ is below a handler of uncaught exceptions also if no function has a name.
  var endsUnwinding: Bool {
    if image?.hasSuffix("libc++abi.dylib") == true { return true }
    guard let symbol else { return false }
    return symbol.hasSuffix("objc_exception_throw") || symbol.hasSuffix("xceptionPreprocess")
      || symbol.contains("handleUncaughtException") || symbol.contains("objc_terminate")
  }

  /// Whether the system called the handler of a signal here: what is above it is that handler.
  var isSignalHandlerEnd: Bool { symbol?.hasSuffix("_sigtramp") == true }

  /// Whether an observation is being made in this function.
  var isAddition: Bool {
    guard let symbol else { return false }
    let functions = [
      "addObserver:forKeyPath", "_addObserver:forProperty", "didAddObservance",
      "NSKeyValueObservance", "_KeyValueCodingAndObserving.observe", "observe<A>(_:options",
      "observe(_:options:changeHandler", "GSKVO", "addObserver:toObjectsAtIndexes",
    ]
    return functions.contains { symbol.contains($0) }
  }
}
