package import KVOTrace

// Additions that were refused: a removal that pairs with one matches nothing, and is not a fault of its own.
extension RegistrationLedger {
  /// An addition by name that was refused, and was not removed since.
  struct RefusedAddition: Sendable {
    var observer: ObjectID?
    var keyPath: StringID
    var context: Context
  }

  /// How many refused additions of an object are remembered; the oldest are forgotten.
  private static let refusalLimit = 64

  /// The addition of `registration` was refused (KVO029).
  package mutating func noteRefusal(of registration: Registration, on subject: Int) {
    var all = refusals[subject] ?? []
    if all.count == Self.refusalLimit { all.removeFirst() }
    all.append(
      RefusedAddition(
        observer: registration.observer?.id,
        keyPath: registration.keyPath,
        context: registration.context.asAdded
      )
    )
    refusals[subject] = all
  }

  /// Forgets the newest refused addition that `removal` was meant for.
  ///
  /// - Returns: whether there was one.
  mutating func takeRefusal(for removal: Removal, on subject: Int) -> Bool {
    guard !refusals.isEmpty, var all = refusals[subject] else { return false }
    let index = all.lastIndex {
      $0.keyPath == removal.keyPath
        && (removal.observer == nil || $0.observer == removal.observer?.id)
        && (removal.context == .unspecified || $0.context == removal.context)
    }
    guard let index else { return false }
    all.remove(at: index)
    refusals[subject] = all.isEmpty ? nil : all
    return true
  }
}
