/// The parts of a key path, as the runtime keeps them.
///
/// Swift has no API for them, and a description distinguishes the parts of a path only if each property has one getter:
/// a property of a class that is not `final` is read through a different function for each class that a key path starts
/// from, and through yet another in generic code. Such key paths share the identity by which `==` compares their parts:
/// the offset of a stored property, else the function or method that declares it.
///
/// The layout is that of the standard library's `KeyPath.swift` (5.9 to 6.3). Before it is relied on, it is verified
/// with a key path whose parts are known (``isKnownLayout``).
struct KeyPathParts {
  /// The identity of a property of a class, which is the same in every key path.
  struct Identity: Hashable, Sendable {
    /// The kind of the part, and of the word that identifies it.
    fileprivate var kind: UInt32
    fileprivate var word: UInt
  }

  struct Part {
    var identity: Identity
    /// Whether it captures values: the arguments of a subscript, or types in generic code.
    var hasArguments: Bool
    /// The type of the value, before it is unwrapped for the next part or wrapped for the result.
    var valueType: Any.Type
  }

  /// The parts without optional chaining and unwrapping, or nil if the layout differs.
  ///
  /// - Complexity: O(parts).
  static func of(_ keyPath: AnyKeyPath) -> [Part]? {
    isKnownLayout ? read(keyPath) : nil
  }

  /// The part of a key path with one part.
  static func single(of keyPath: AnyKeyPath) -> Part? {
    guard let parts = of(keyPath), parts.count == 1 else { return nil }
    return parts[0]
  }

  /// The identity of the property of a key path with one part.
  static func identity(of keyPath: AnyKeyPath) -> Identity? { single(of: keyPath)?.identity }

  /// Whether the runtime lays out key paths as this file describes.
  static let isKnownLayout: Bool = {
    class Probe {
      let first = 1
      var second: Probe? { nil }
      var third: Probe { self }
    }
    final class Derived: Probe {}
    guard let path = read(\Derived.second?.third.first), path.count == 3,
      let first = read(\Probe.first), let second = read(\Probe.second),
      let third = read(\Derived.third)
    else { return false }
    let single = first + second + third
    return single.count == 3 && path[0].identity == second[0].identity
      && path[1].identity == third[0].identity && path[2].identity == first[0].identity
      && Set(single.map(\.identity)).count == 3 && path[0].valueType == Probe?.self
      && path[1].valueType == Probe.self && path[2].valueType == Int.self
  }()

  private static func read(_ keyPath: AnyKeyPath) -> [Part]? {
    withExtendedLifetime(keyPath) {
      var reader = KeyPathReader(Unmanaged.passUnretained(keyPath).toOpaque())
      return reader.parts(endingIn: type(of: keyPath).valueType)
    }
  }

  fileprivate init() {}
}

/// Reads the buffer of a key path, from one part to the next.
private struct KeyPathReader {
  /// The discriminator of a part's header, and what is in the rest of it.
  private enum Layout {
    static let sizeMask: UInt32 = 0x00FF_FFFF
    static let kindMask: UInt32 = 0x7F00_0000
    static let structField: UInt32 = 0x0100_0000
    static let computed: UInt32 = 0x0200_0000
    static let classField: UInt32 = 0x0300_0000
    static let optional: UInt32 = 0x0400_0000

    static let offsetMask: UInt32 = 0x007F_FFFF
    static let offsetFollows: UInt32 = 0x007F_FFFF
    /// From this discriminator on, an offset is not resolved yet.
    static let offsetLimit: UInt32 = 0x007F_FFFC

    static let isSettable: UInt32 = 0x0040_0000
    static let identifierKind: UInt32 = 0x0030_0000
    static let hasArguments: UInt32 = 0x0008_0000
    static let isUnresolved: UInt32 = 0x0000_000F
    static let argumentSizeMask = UInt.max >> 2
  }

  private static let word = MemoryLayout<UInt>.size

  private var position: UnsafeRawPointer
  private let end: UnsafeRawPointer

  /// The object's header of two words and a name come first, then the size of the buffer.
  init(_ keyPath: UnsafeRawPointer) {
    let size = keyPath.load(fromByteOffset: 3 * Self.word, as: UInt32.self) & Layout.sizeMask
    position = keyPath + 4 * Self.word
    end = position + Int(size)
  }

  mutating func parts(endingIn valueType: Any.Type) -> [KeyPathParts.Part]? {
    var parts: [KeyPathParts.Part] = []
    while position < end {
      guard let header = next(UInt32.self), let part = identity(after: header) else { return nil }
      var type = valueType
      if position < end {
        guard let following = next(Any.Type.self) else { return nil }
        type = following
      }
      if let identity = part {
        let hasArguments =
          header & Layout.kindMask == Layout.computed && header & Layout.hasArguments != 0
        parts.append(.init(identity: identity, hasArguments: hasArguments, valueType: type))
      }
    }
    return position == end ? parts : nil
  }

  /// The identity of the part that `header` begins; an inner nil if it has none, and nil if it cannot be read.
  private mutating func identity(after header: UInt32) -> KeyPathParts.Identity?? {
    let kind = header & Layout.kindMask
    switch kind {
    case Layout.optional:
      return .some(nil)
    case Layout.structField, Layout.classField:
      var offset = header & Layout.offsetMask
      if offset == Layout.offsetFollows {
        guard let following = next(UInt32.self) else { return nil }
        offset = following
      } else if offset >= Layout.offsetLimit {
        return nil
      }
      return .some(.init(kind: kind, word: UInt(offset)))
    case Layout.computed:
      guard header & Layout.isUnresolved == 0, let identifier = next(UInt.self) else { return nil }
      position += (header & Layout.isSettable == 0 ? 1 : 2) * Self.word
      if header & Layout.hasArguments != 0 {
        guard let size = next(UInt.self) else { return nil }
        position += Self.word + Int(size & Layout.argumentSizeMask)
      }
      return .some(.init(kind: kind | header & Layout.identifierKind, word: identifier))
    default:
      return nil
    }
  }

  /// The value at the next address that is aligned for it, or nil if the buffer ends before.
  private mutating func next<Value>(_: Value.Type) -> Value? {
    let start = position.alignedUp(for: Value.self)
    guard start <= end, end - start >= MemoryLayout<Value>.size else { return nil }
    position = start + MemoryLayout<Value>.size
    return start.load(as: Value.self)
  }
}
