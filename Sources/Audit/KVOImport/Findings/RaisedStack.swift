import KVORules

/// Reads from the stack of an exception alone the exception.
///
/// Crash services often show the stack without the words. Foundation raises in few functions, each for
/// one reason, so that the one which raised decides.
struct RaisedStack {
  let kind: Complaint.Kind
  let code: RuleCode
  /// The class whose method is further down in the stack, if that is the observer's.
  let observer: String?

  /// The exception raised in `stack`, or nil if other code raised.
  init?(_ stack: StackTrace) {
    guard
      let thrown = stack.frames.prefix(14).lastIndex(where: { frame in
        guard let symbol = frame.symbol else { return false }
        return symbol.hasSuffix("objc_exception_throw") || symbol.hasSuffix("xceptionPreprocess")
      })
    else { return nil }
    // NSException's own methods are between, some under wrong names.
    let rest = stack.frames[(thrown + 1)...].drop { frame in
      guard let symbol = frame.symbol else { return frame.image == "CoreFoundation" }
      return symbol.contains("NSException") || symbol.contains("xceptionPreprocess")
        || frame.image?.hasSuffix("CoreFoundation") == true
    }
    guard let raiser = rest.first?.symbol else { return nil }
    if raiser.contains("_removeObserver:forProperty:") {
      (kind, code, observer) = (.removal, .removeUnregistered, nil)
    } else if raiser.contains("(NSKeyValueObserving) observeValueForKeyPath:") {
      (kind, code) = (.unhandled, .unhandledNotification)
      observer = rest.dropFirst().first?.symbol.flatMap(Self.receiver)
    } else if raiser.contains("NSKVODeallocate") {
      (kind, code, observer) = (.deallocation, .observedDeinitWhileObserved, nil)
    } else if raiser.contains("NSKeyValueNestedProperty"), raiser.contains("withObservance:did") {
      (kind, code, observer) = (
        .silentChange(whileRemoving: false), .mutationWithoutNotification, nil
      )
    } else if raiser.contains("NSKeyValueNestedProperty"), raiser.contains("didRemoveObservance") {
      (kind, code, observer) = (
        .silentChange(whileRemoving: true), .mutationWithoutNotification, nil
      )
    } else if raiser.contains("(NSKeyValueObserverRegistration) addObserver:forKeyPath:"),
      raiser.contains("[NSArray") || raiser.contains("[NSSet") || raiser.contains("[NSOrderedSet")
    {
      (kind, code, observer) = (.unsupportedCollection, .uncompliantPath, nil)
    } else {
      return nil
    }
  }

  private static let removals: Set<RuleCode> = [
    .doubleRemove, .removeUnregistered, .removeWrongContext, .mutationWithoutNotification,
  ]

  /// Whether the words of one rule and a stack of the other may be of one exception: a removal fails for several reasons.
  static func mayBeSame(_ code: RuleCode, _ other: RuleCode) -> Bool {
    code == other || removals.contains(code) && removals.contains(other)
  }

  /// `-[Cell observeValueForKeyPath:…]` as `Cell`.
  private static func receiver(_ symbol: String) -> String? {
    guard symbol.hasPrefix("-["), symbol.contains(" observeValueForKeyPath:") else { return nil }
    let name = symbol.dropFirst(2).prefix { $0 != " " && $0 != "(" }
    return name.hasPrefix("NS") || name.isEmpty ? nil : String(name)
  }
}
