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
        + "needs an addition before it, and each addition is good for one"
      search =
        "search for the key path in all calls of addObserver and removeObserver of the observer; look "
        + "for a removal that can run twice (viewDidDisappear and dealloc), an addition that an "
        + "early return skips, and an observed object that was replaced in between"
    case .removeWrongContext:
      why =
        "the observer is registered under another context than the removal named; the context "
        + "belongs to the registration like the key path does"
      search = "compare the contexts of addObserver and removeObserver for this key path"
    case .observedDeinitWhileObserved:
      why =
        "an object was deallocated and still had observers; remove every observer before the object is deallocated"
      search =
        "break on NSKVODeallocateBreak, or on the dealloc of the observed class, and print its "
        + "observationInfo: it lists who is left; then find where that one should have been removed"
    case .observerDeinitWhileRegistered:
      why =
        "an observer was deallocated and was still registered; it must be removed from all that it observes "
        + "before it goes"
      search = "look for the removal in the observer's dealloc, and for ways that leave it out"
    case .deliveryToDead:
      why =
        "a change was delivered to an observer that had been deallocated; it must be removed from "
        + "all that it observes before it goes"
      search =
        "run with NSZombieEnabled to learn the observer's class; the setter in the first own frame "
        + "says which property; then find where that class is registered for it"
    case .mutationWithoutNotification where Self.isSetterNotice(finding):
      why =
        "the runtime notifies of a change by a setter that it makes in place of the class's own, which it can do "
        + "only if that returns nothing and takes an object, a number or a structure that it knows; observers "
        + "are registered, and told nothing"
      search =
        "look at the setter in the notice, and at whether anybody waits for its changes; where nobody does, the "
        + "notice means nothing"
    case .mutationWithoutNotification:
      why =
        "a part of a key path was replaced without a notification, so that the runtime's "
        + "registrations lie on an object that is no longer there; each part must notify"
      search =
        "find the assignments to the variable behind the named key, above all in init, dealloc and "
        + "lazy getters, that bypass its setter"
    case .unhandledNotification:
      why =
        "a notification went up to NSObject, which has no use for any; what a class registers "
        + "for, it must take in observeValueForKeyPath:ofObject:change:context:"
      search =
        "look in that method of the observer's class and its superclasses for a comparison that the "
        + "key path or context does not pass, and for a removal that a superclass was to make"
    case .concurrentRemoval:
      why =
        "two threads changed the registrations of one object at the same time, or one of them "
        + "while it was deallocated"
      search = "compare the stacks of the threads that are inside of NSKeyValue functions"
    case .uncompliantPath:
      why =
        "a key path was observed that the object does not have, or that leads through what cannot "
        + "be observed; each part must be a property that Objective-C knows"
      search = "compare the key path with the properties of the named class, letter by letter"
    case .classChangedUnderObservation where finding.consequence == .crash:
      why =
        "the runtime makes a class by which an observed one notifies, named NSKVONotifying_ and the class; it "
        + "looked for the one that it had made for this copy of the class, and another copy has taken the name"
      search =
        "look in the console for \"Class … is implemented in both\", which names the two images; then take "
        + "the class, or the library that has it, out of one of their targets"
    case .classChangedUnderObservation:
      why =
        "the runtime could not make the class by which it notifies of itself, because one of that name "
        + "was there; changes are told of where willChangeValueForKey: and didChangeValueForKey: "
        + "are called, and nowhere else"
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
