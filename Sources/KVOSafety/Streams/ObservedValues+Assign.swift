extension ObservedValues {
  /// Sets a property of `object` to each value, on the actor of the caller, until the values end.
  ///
  /// ```swift
  /// account.values(for: \.owner?.name, boundTo: label).assign(to: \.text, on: label)
  /// ```
  ///
  /// Neither side is kept alive: `object` is referenced weakly, and its deallocation ends the task at the next value,
  /// or at once if the values are bound to it. Mirrors `assign(to:on:)` of Combine, which keeps the object, and
  /// `RAC(object, property)`.
  ///
  /// - Parameters:
  ///   - keyPath: the property that is set.
  ///   - object: the object that has the property.
  ///   - isolation: the actor of the caller, where the property is set.
  /// - Returns: the task; cancelling it ends the assignments. It need not be kept.
  @discardableResult
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Element>,
    on object: Root,
    isolation: isolated any Actor = #isolation
  ) -> Task<Void, Never> {
    weak let target = object
    return Task {
      _ = isolation
      for await value in self {
        guard let target else { return }
        target[keyPath: keyPath] = value
      }
    }
  }
}

extension SharedValues {
  /// Sets a property of `object` to each value, on the actor of the caller, until the values end.
  ///
  /// Works as that of ``ObservedValues``.
  @discardableResult
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Element>,
    on object: Root,
    isolation: isolated any Actor = #isolation
  ) -> Task<Void, Never> {
    weak let target = object
    return Task {
      _ = isolation
      for await value in self {
        guard let target else { return }
        target[keyPath: keyPath] = value
      }
    }
  }
}
