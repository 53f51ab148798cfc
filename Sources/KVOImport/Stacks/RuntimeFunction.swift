/// The functions of Foundation that stand in stacks of key-value observing, and what a crash in each proves.
///
/// Read from stacks that people publish, and from the names themselves: none of these is documented.
/// What stands above the function is the runtime's step (``StackTrace/top``), so that "on top" means that
/// nobody else's code ran.
enum RuntimeFunction {
  /// What a bad access shows with the function on top.
  enum Meaning {
    /// The function takes hold of every observer of an object before it tells them, and is named for the
    /// fault: an observer is gone, or what lies where it was.
    case retainsObservers
    /// A change is delivered: the observer is gone, or the object in whose name it is told.
    case delivers
    /// The lists of registrations are read or changed: another thread changes them, or an object that
    /// they name is gone.
    case registers
    /// The observed object goes, with registrations that the runtime clears away or complains of.
    case clearsUp
    /// The runtime stops here for debuggers, each time that an object goes which is observed.
    case complains
    /// The class is made that notifies in the name of the observed one: by way of `objc_registerClassPair`, which
    /// crashes where there is one of the name already.
    case makesClass
  }

  private static let names: [(name: String, meaning: Meaning)] = [
    ("KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT", .retainsObservers),
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
    // Swift's helper, which takes the notification for the closure of an observation.
    ("_swizzle_me_observeValue", .delivers),

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

  /// What the function of this name is for, or nil where it is none of these.
  ///
  /// - Complexity: O(names × length).
  static func meaning(of symbol: String) -> Meaning? {
    // Setters, and the methods that change a collection, in their observed form.
    if symbol.contains("AndNotify"), symbol.contains("NSSet") || symbol.contains("NSKVO") {
      return .delivers
    }
    guard
      symbol.contains("KVO") || symbol.contains("KeyValue") || symbol.contains("ithObservance")
        || symbol.contains("_changeValueForKey") || symbol.contains("_swizzle_me")
    else { return nil }
    return names.first { symbol.contains($0.name) }?.meaning
  }
}
