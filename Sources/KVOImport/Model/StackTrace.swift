/// A stack as a report prints it.
struct StackTrace: Sendable {
  /// One line of it; what the report does not say is nil, 0 for the line.
  struct Frame: Hashable, Sendable {
    var number: Int?
    var image: String?
    var address: UInt64?
    /// The function, demangled; nil where it was stripped.
    var symbol: String?
    var file: String?
    var line = 0
    /// The UUID of the image, and where in it the address lies from its start on; for dSYM files.
    var imageUUID: String?
    var imageOffset: UInt64?
  }

  /// Whose stack it is.
  enum Role: Hashable, Sendable {
    /// Of the exception that ended the process: the thread's own only shows how it was ended.
    case exception
    /// Of the thread that crashed.
    case crashed
    /// Of another thread.
    case other
    /// The text does not say.
    case unknown
  }

  var role = Role.unknown
  /// The number of the thread, as the report spells it.
  var thread: String?
  var threadName: String?
  /// Innermost first.
  var frames: [Frame] = []
  /// Where it stands in the text: the lines of its frames.
  var lines: Range<Int>

  /// What the runtime does before a function of anybody's runs.
  private static let transparent = [
    "objc_msgSend", "objc_retain", "objc_release", "objc_autorelease", "objc_opt_", "objc_getClass",
    "object_getClass", "object_isClass", "class_", "lookUpImp", "cache_getImp", "_objc_",
    "objc_loadWeak",
    "_class_", "_lookUpImp", "___forwarding___", "_CF_forwarding_prep_", "objc_storeStrong",
    "objc_object::", "swift_isaMask", "_platform_", "<unknown>", "getMethodNoSuper",
    "search_method",
    "__forwarding__", "objc_exception_rethrow", "forwarding_prep", "_sigtramp", "getIsa",
    "(anonymous namespace)::AutoreleasePoolPage", "weak_", "initializeNonMetaClass", "realizeClass",
    "CFRetain", "CFRelease", "_CFRetain", "_CFRelease", "CFGetTypeID", "doesNotRecognizeSelector",
  ]

  /// The first frame that is somebody's: not the runtime's step in front of it.
  var top: Frame? {
    frames.first { frame in
      guard let symbol = frame.symbol else { return true }
      return !Self.transparent.contains { symbol.hasPrefix($0) }
    }
  }

  /// Whether the innermost frame is the runtime's step: it is where a message to a dead object crashes.
  var beginsInRuntime: Bool {
    guard let symbol = frames.first?.symbol else { return false }
    return Self.transparent.contains { symbol.hasPrefix($0) }
  }

  /// Whether any frame's function contains `text`.
  func calls(_ text: String) -> Bool {
    frames.contains { $0.symbol?.contains(text) == true }
  }
}

extension StackTrace.Frame {
  /// Whether the runtime delivers notifications in this function.
  var isDelivery: Bool {
    guard let symbol else { return false }
    if symbol.contains("AndNotify") && symbol.contains("NSSet") { return true }
    let functions = [
      "NSKeyValueNotifyObserver", "NSKeyValueDidChange", "NSKeyValueWillChange",
      "NSKeyValuePopPendingNotification", "NSKeyValuePushPendingNotification",
      "NSKeyValueObserverNotification) didChange", "NSKeyValueObserverNotification) willChange",
      "NSKeyValueObservingPrivate) _changeValue", "NSKeyValueObservingPrivate) _notifyObservers",
      "withObservance:didChangeValue", "withObservance:willChangeValue",
      "_changeValueForKey", "NSKeyValueObservance observeValueForKeyPath",
    ]
    return functions.contains { symbol.contains($0) }
  }

  /// Whether the runtime keeps its lists of registrations in this function.
  var isRegistration: Bool {
    guard let symbol else { return false }
    let functions = [
      "NSKeyValueObservationInfo", "NSKVOPendingNotification", "NSKeyValueRemoveObserver",
      "NSKeyValueAddObserver", "NSKeyValueRetainedObservationInfo",
      "NSKeyValueReplaceObservationInfo", "NSKeyValueObserverRegistration) _removeObserver",
      "NSKeyValueObserverRegistration) removeObserver",
      "NSKeyValueObserverRegistration) _addObserver",
      "NSKeyValueObserverRegistration) addObserver", "NSKeyValueShareableObservance",
      "NSKeyValueObservance _init", "NSKeyValueProperty isaForAutonotifying",
    ]
    return functions.contains { symbol.contains($0) }
  }

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
