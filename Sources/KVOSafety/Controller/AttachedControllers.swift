internal import KVORecorder
internal import KVOTrace

/// The controllers that objects have without storing one, by owner.
///
/// Each is kept until its owner is deallocated, which the hook of the owner's class reports. If the class cannot be
/// hooked, the deallocation is noticed at the next change of an observed object.
final class AttachedControllers: Sendable {
  private struct Kind: Hashable, Sendable {
    /// The static type that asked: a superclass has a different controller than its subclass.
    var owner: ObjectIdentifier
    var retainsObserved: Bool
  }

  static let shared = AttachedControllers()

  // State: `controllers`, under its own lock. No controller is created or released while it is held.
  private let controllers = GuardedState<[ObjectID: Attached]>([:])

  private struct Attached: Sendable {
    var owner: ObjectRecord
    var controllers: [Kind: any AnyController] = [:]
  }

  private init() {}

  func controller<Owner: AnyObject>(
    of owner: Owner,
    retainsObserved: Bool
  ) -> ObservationController<Owner> {
    let record = ObjectTable.shared.watchedRecord(of: owner)
    let kind = Kind(owner: ObjectIdentifier(Owner.self), retainsObserved: retainsObserved)
    let known = controllers.withLock { $0[record.ref.id]?.controllers[kind] }
    if let known = known as? ObservationController<Owner> { return known }
    let made = ObservationController(owner: owner, retainsObserved: retainsObserved)
    guard !record.isUnwatchedInDeinit else { return made }
    let kept = controllers.withLock { controllers in
      if let known = controllers[record.ref.id]?.controllers[kind] { return known }
      controllers[record.ref.id, default: Attached(owner: record)].controllers[kind] = made
      return made
    }
    return kept as? ObservationController<Owner> ?? made
  }

  /// Makes `controller` the controller of `owner`; the previous one is released.
  func attach<Owner: AnyObject>(
    _ controller: ObservationController<Owner>,
    to owner: Owner,
    retainsObserved: Bool
  ) {
    let record = ObjectTable.shared.watchedRecord(of: owner)
    guard !record.isUnwatchedInDeinit else { return }
    let kind = Kind(owner: ObjectIdentifier(Owner.self), retainsObserved: retainsObserved)
    let replaced = controllers.withLock { controllers in
      controllers[record.ref.id, default: Attached(owner: record)].controllers
        .updateValue(controller, forKey: kind)
    }
    withExtendedLifetime(replaced) {}
  }

  /// The owners and the addresses of their controllers, in no particular order.
  ///
  /// Retains no controller beyond the locked section.
  var addresses: [(owner: ObjectRecord, controller: UInt)] {
    controllers.withLock { controllers in
      controllers.values.flatMap { attached in
        attached.controllers.values.map { (attached.owner, ObjectTable.address(of: $0)) }
      }
    }
  }

  /// Releases the controllers of a deallocated object.
  func forget(_ owner: ObjectID) {
    let dropped = controllers.withLock { $0.removeValue(forKey: owner) }
    withExtendedLifetime(dropped) {}
  }
}

/// A controller of any owner.
protocol AnyController: AnyObject, Sendable {
  /// Its reference in logs.
  var registry: ObjectRef { get }
  /// Its observations, and the observed objects that it keeps alive.
  var keptAddresses: [UInt] { get }
}

extension ObservationController: AnyController {
  var registry: ObjectRef { ObjectTable.shared.record(of: identity).ref }

  var keptAddresses: [UInt] {
    let kept = entries.withLock { entries in
      entries.all.map { entry in
        (entry.id, entry.storage, object: entry.object.map { ObjectTable.address(of: $0) })
      }
    }
    // The registrations of each observed object have a lock of their own. `kept` retains them until then: this releases
    // no last reference only because no other thread of a program at rest deallocates an observed object meanwhile.
    return kept.flatMap { id, storage, object in
      [storage.address(of: id), object].compactMap(\.self)
    }
  }
}

extension ObservationController {
  /// The controller of `owner`, which need not store one.
  ///
  /// ```swift
  /// ObservationController.of(self).observe(account, \.balance) { screen, account, change in … }
  /// ```
  ///
  /// Made when it is first asked for, and the same each time; it lives as long as the owner. Any
  /// class can have one. Any thread. Mirrors the properties `KVOController` and
  /// `KVOControllerNonRetaining` of `NSObject`.
  ///
  /// - Parameters:
  ///   - owner: passed to the handlers; its deallocation ends all observations. Not kept alive. In its deinit this
  ///     returns the controller that it has, or one that nothing else keeps.
  ///   - retainsObserved: which of its two controllers: the one that keeps what it observes alive, or
  ///     the other.
  /// - Returns: the controller.
  public static func of(_ owner: Owner, retainsObserved: Bool = true) -> ObservationController {
    AttachedControllers.shared.controller(of: owner, retainsObserved: retainsObserved)
  }

  /// Makes `controller` the one that ``of(_:retainsObserved:)`` returns for `owner`.
  ///
  /// The previous one is released; its observations end with it unless something else retains it. Mirrors the setters
  /// of `KVOController` and `KVOControllerNonRetaining`, which take any controller.
  ///
  /// - Parameters:
  ///   - controller: the controller, which lives as long as the owner from now on.
  ///   - owner: the object that has it; usually the controller's own owner. Not kept alive.
  ///   - retainsObserved: which of the owner's two controllers it becomes.
  public static func set(
    _ controller: ObservationController,
    of owner: Owner,
    retainsObserved: Bool = true
  ) {
    AttachedControllers.shared.attach(controller, to: owner, retainsObserved: retainsObserved)
  }
}
