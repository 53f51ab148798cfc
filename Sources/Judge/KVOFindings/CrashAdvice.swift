package import KVORules

/// Advice about a fault that a crash report shows: why it happened, where, and how to find it.
///
/// The finding's hint says what to change, and names the objects.
package struct CrashAdvice: Hashable, Sendable {
  /// What happened, and what the runtime requires.
  package var why: String
  /// On which systems it crashes, and on which it does not.
  package var systems: String
  /// How to find the missing or superfluous call.
  package var search: String
  /// How to catch faults that no crash report shows.
  package static let rest =
    "wrap the observations with KVOSafety, or write their calls as JSON Lines; `kvo-audit` then "
    + "says who registered, removed and let go, also where nothing crashes"

  /// The advice for `finding`.
  package init(_ finding: Finding) {
    let code = finding.code
    systems = Self.systems(finding)
    switch code {
    case .doubleRemove, .removeUnregistered:
      why =
        "a removal found no observation of this observer, object and key path; every removal "
        + "needs an earlier addition, and each addition allows one removal"
      search =
        "search for the key path in all calls of addObserver and removeObserver of the observer; look "
        + "for a removal that can run twice (viewDidDisappear and dealloc), an addition that an "
        + "early return skips, and an observed object that was replaced in between"
    case .removeWrongContext:
      why =
        "the observer is registered with another context than that of the removal; the context "
        + "is a part of the registration like the key path"
      search = "compare the contexts of addObserver and removeObserver for this key path"
    case .observedDeinitWhileObserved:
      why =
        "an object was deallocated and still had observers; remove every observer before the object is deallocated"
      search =
        "break on NSKVODeallocateBreak, or on the dealloc of the observed class, and print its "
        + "observationInfo: it lists the remaining observers; then find where they should have been removed"
    case .observerDeinitWhileRegistered:
      why =
        "an observer was deallocated and was still registered; it must be removed from everything that it observes "
        + "before it is deallocated"
      search = "look for the removal in the observer's dealloc, and for code paths that skip it"
    case .deliveryToDead:
      why =
        "a change was delivered to an observer that had been deallocated; it must be removed from "
        + "everything that it observes before it is deallocated"
      search =
        "run with NSZombieEnabled to find the observer's class; the setter in the first own frame "
        + "shows the property; then find where that class is registered for it"
    case .mutationWithoutNotification where Self.isSetterNotice(finding):
      why =
        "the runtime notifies of a change by a setter that replaces the class's own, which is possible only if that "
        + "returns nothing and takes an object, a number or a structure that the runtime knows; observers "
        + "are registered, but not notified"
      search =
        "look at the setter in the notice, and whether its property is observed; if it is not, ignore the "
        + "notice"
    case .mutationWithoutNotification:
      why =
        "a part of a key path was replaced without a notification, so that the runtime's "
        + "registrations are on an object that no longer exists; each part must notify"
      search =
        "find the assignments to the variable of the named key, above all in init, dealloc and "
        + "lazy getters, that bypass its setter"
    case .unhandledNotification:
      why =
        "a notification reached NSObject's implementation, which raises; a class must handle everything that it "
        + "registers for in observeValueForKeyPath:ofObject:change:context:"
      search =
        "look in that method of the observer's class and its superclasses for a comparison that the "
        + "key path or context does not pass, and for a missing removal in a superclass"
    case .concurrentRemoval:
      why =
        "two threads changed the registrations of one object at the same time, or one of them "
        + "while it was deallocated"
      search = "compare the stacks of the threads that are inside of NSKeyValue functions"
    case .uncompliantPath:
      why =
        "a key path was observed that the object does not have, or that leads through something that cannot "
        + "be observed; each part must be a property that is visible to Objective-C"
      search = "compare the key path with the properties of the named class, letter by letter"
    case .classChangedUnderObservation where finding.consequence == .crash:
      why =
        "the runtime creates a subclass that notifies, whose name is NSKVONotifying_ and that of the class; it "
        + "looked for the one that it had created for this copy of the class, but another copy has the same name"
      search =
        "look in the console for \"Class … is implemented in both\", which names the two images; then remove "
        + "the class, or the library that contains it, from one of their targets"
    case .classChangedUnderObservation:
      why =
        "the runtime could not create the subclass that notifies automatically, because one with that name "
        + "exists; changes are notified only by calls of willChangeValueForKey: and "
        + "didChangeValueForKey:"
      search = "look for two copies of the class in the linked libraries, and for swizzling"
    default:
      let entry = RuleCatalogue.entry(code)
      why = entry.title
      search = "see `kvo-audit explain \(code.rawValue)`"
    }
  }

  /// Whether the runtime only named a setter: the changed value is found by a longer path.
  private static func isSetterNotice(_ finding: Finding) -> Bool {
    finding.consequence == .wrong && finding.keyPath?.contains(".") != true
  }

  private static let names: [(Profile, String)] = [
    (.appleLegacy, "iOS 10, macOS 10.12 and earlier"),
    (.appleModern, "iOS 11, macOS 10.13 and later"),
    (.gnustep128, "GNUstep 1.28"),
    (.gnustepModern, "GNUstep 1.31 and later"),
  ]

  private static func systems(_ finding: Finding) -> String {
    if finding.code == .mutationWithoutNotification, isSetterNotice(finding) {
      return "silent, with wrong values, on every iOS and macOS"
    }
    if finding.code == .mutationWithoutNotification, finding.consequence == .crash {
      // Measured on macOS 26 by GNUstep's maintainers, and seen in reports of every system since iOS 7.
      return
        "crashes on every iOS and macOS when the path is taken apart: at a removal, or at the next "
        + "change before it; until then silent, with wrong values"
    }
    // The report's own system counts, whatever the rule says.
    let all = names.map { profile, name in
      profile == finding.profile
        ? (finding.consequence, name)
        : (RuleCatalogue.consequence(of: finding.code, under: profile), name)
    }
    let kinds: [(Consequence, String)] = [
      (.crash, "crashes on"), (.wrong, "silent, with wrong values, on"),
      (.leak, "silent, leaks, on"),
      (.none, "harmless on"), (.unknown, "not known for"),
    ]
    return kinds.compactMap { kind, words in
      let systems = all.filter { $0.0 == kind }.map(\.1)
      return systems.isEmpty ? nil : "\(words) \(systems.joined(separator: ", "))"
    }.joined(separator: "; ")
  }
}
