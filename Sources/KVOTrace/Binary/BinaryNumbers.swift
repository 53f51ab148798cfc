/// The numbers that stand for the cases of enumerations, in the order of the grammar's lists.
///
/// They are spelled out because they are the file's, whatever becomes of the cases' order.
package protocol BinaryNumbered {
  /// The case of `number`, or nil where there is none.
  init?(binaryNumber number: UInt64)
  var binaryNumber: UInt64 { get }
}

extension ObjectRef.Kind: BinaryNumbered {
  @inline(__always)
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .object
    case 1: self = .token
    case 2: self = .closure
    case 3: self = .registry
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .object: 0
    case .token: 1
    case .closure: 2
    case .registry: 3
    }
  }
}

extension ProcessInfo.Runtime: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .swift
    case 1: self = .apple
    case 2: self = .gnustep128
    case 3: self = .gnustepModern
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .swift: 0
    case .apple: 1
    case .gnustep128: 2
    case .gnustepModern: 3
    }
  }
}

extension Registration.Form: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .classic
    case 1: self = .token
    case 2: self = .controller
    case 3: self = .stream
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .classic: 0
    case .token: 1
    case .controller: 2
    case .stream: 3
    }
  }
}

extension RefusalReason: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .nilKeyPath
    case 1: self = .emptyKeyPath
    case 2: self = .unknownKey
    case 3: self = .throughCollection
    case 4: self = .readOnly
    case 5: self = .notObservable
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .nilKeyPath: 0
    case .emptyKeyPath: 1
    case .unknownKey: 2
    case .throughCollection: 3
    case .readOnly: 4
    case .notObservable: 5
    }
  }
}

extension CancelCause: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .user
    case 1: self = .owner
    case 2: self = .subject
    case 3: self = .token
    case 4: self = .observer
    case 5: self = .runtime
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .user: 0
    case .owner: 1
    case .subject: 2
    case .token: 3
    case .observer: 4
    case .runtime: 5
    }
  }
}

extension Change.Kind: BinaryNumbered {
  @inline(__always)
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .setting
    case 1: self = .insertion
    case 2: self = .removal
    case 3: self = .replacement
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .setting: 0
    case .insertion: 1
    case .removal: 2
    case .replacement: 3
    }
  }
}

extension Delivery.Phase: BinaryNumbered {
  @inline(__always)
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .initial
    case 1: self = .prior
    case 2: self = .after
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .initial: 0
    case .prior: 1
    case .after: 2
    }
  }
}

extension Reference.Strength: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .strong
    case 1: self = .weak
    case 2: self = .unowned
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .strong: 0
    case .weak: 1
    case .unowned: 2
    }
  }
}

extension Reference.Certainty: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 0: self = .proven
    case 1: self = .suspected
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .proven: 0
    case .suspected: 1
    }
  }
}

extension KeyDeclaration.Problem: BinaryNumbered {
  package init?(binaryNumber number: UInt64) {
    switch number {
    case 1: self = .noAccessor
    case 2: self = .ignoredDependencies
    default: return nil
    }
  }

  @inlinable
  package var binaryNumber: UInt64 {
    switch self {
    case .noAccessor: 1
    case .ignoredDependencies: 2
    }
  }
}
