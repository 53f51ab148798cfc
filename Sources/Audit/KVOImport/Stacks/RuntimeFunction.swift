/// The functions of Foundation that are in stacks of key-value observing, and the fault that a crash in each proves.
///
/// Derived from published stacks, and from the names themselves: none of these is documented. Only runtime functions
/// are above it (``StackTrace/top``), so that "on top" means that no other code ran.
enum RuntimeFunction {
  /// The fault that a bad access with the function on top shows.
  enum Meaning {
    /// The function retains every observer of an object before it notifies them, and its name describes the fault: an
    /// observer, or the object that reused its address, is deallocated.
    case retainsObservers
    /// A change is delivered: the observer is deallocated, or the object in whose name it is notified.
    case delivers
    /// The lists of registrations are read or changed: another thread changes them, or an object that
    /// they name is deallocated.
    case registers
    /// The observed object is deallocated, with registrations that the runtime removes or reports.
    case clearsUp
    /// The runtime stops here for debuggers, each time that an observed object is deallocated.
    case complains
    /// The notifying subclass of the observed class is created: by way of `objc_registerClassPair`, which crashes if
    /// there is one of the name already.
    case makesClass
  }

  private static let names: [(name: String, meaning: Meaning)] = [
    ("KVO_IS_RETAINING", .retainsObservers),
    // Its name in later systems.
    ("NSKeyValueObservationInfoGetObservances", .retainsObservers),

    ("NSKVODeallocateBreak", .complains),
    ("NSKVODeallocate", .clearsUp), ("NSKVODeallocSentinel", .clearsUp),

    ("NSKVONotifyingCreateInfo", .makesClass),

    ("NSKeyValueNotifyObserver", .delivers), ("NSKeyValueDidChange", .delivers),
    ("NSKeyValueWillChange", .delivers), ("NSKeyValuePopPendingNotification", .delivers),
    ("NSKeyValuePushPendingNotification", .delivers),
    ("NSKeyValueObserverNotification) didChange", .delivers),
    ("NSKeyValueObserverNotification) willChange", .delivers),
    ("NSKeyValueObservingPrivate) _changeValue", .delivers),
    ("NSKeyValueObservingPrivate) _notifyObservers", .delivers),
    ("withObservance:didChangeValue", .delivers), ("withObservance:willChangeValue", .delivers),
    ("_changeValueForKey", .delivers), ("NSKeyValueObservance observeValueForKeyPath", .delivers),
    // GNUstep's, with the name that the linker has, too; before 1.31, and in the first of its releases.
    ("GSKVOPathInfo notifyForKey", .delivers), ("GSKVOPathInfo__notifyForKey", .delivers),
    ("GSKVOInfo notifyForKey", .delivers), ("GSKVOInfo__notifyForKey", .delivers),
    // Swift's helper, which takes the notification for the closure of an observation.
    ("_swizzle_me_observeValue", .delivers),

    // It retains the observer, before a change.
    ("NSKVOPendingNotificationCreate", .delivers),
    ("NSKeyValueObservationInfo", .registers), ("NSKVOPendingNotification", .registers),
    ("NSKeyValueRemoveObserver", .registers), ("NSKeyValueAddObserver", .registers),
    ("NSKeyValueRetainedObservationInfo", .registers),
    ("NSKeyValueReplaceObservationInfo", .registers),
    ("NSKeyValueObserverRegistration) _removeObserver", .registers),
    ("NSKeyValueObserverRegistration) removeObserver", .registers),
    ("NSKeyValueObserverRegistration) _addObserver", .registers),
    ("NSKeyValueObserverRegistration) addObserver", .registers),
    ("NSKeyValueShareableObservance", .registers), ("NSKeyValueObservance _init", .registers),
    ("Property isaForAutonotifying", .registers), ("Property _isaForAutonotifying", .registers),
    ("NSKeyValueObservation.invalidate()", .registers),
    ("NSKeyValueObservation.Helper.invalidate()", .registers),
  ]

  /// The functions of C in which GNUstep delivers since 1.31.
  private static let gnustepDispatchers = ["_dispatchWillChange", "_dispatchDidChange"]

  /// Whether the function of this name is one of GNUstep's.
  static func isOfGNUstep(_ symbol: String) -> Bool {
    symbol.contains("GSKVO") || gnustepDispatchers.contains(symbol)
  }

  /// The purpose of the function of this name, or nil if it is none of these.
  ///
  /// - Complexity: O(names × length).
  static func meaning(of symbol: String) -> Meaning? {
    // Setters, and the methods that change a collection, in their observed form.
    if symbol.contains("AndNotify"), symbol.contains("NSSet") || symbol.contains("NSKVO") {
      return .delivers
    }
    if gnustepDispatchers.contains(symbol) { return .delivers }
    guard
      symbol.contains("KVO") || symbol.contains("KeyValue") || symbol.contains("ithObservance")
        || symbol.contains("_changeValueForKey") || symbol.contains("_swizzle_me")
    else { return nil }
    return names.first { symbol.contains($0.name) }?.meaning
  }
}
