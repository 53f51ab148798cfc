/// Recognizes witness tables that the runtime allocated: they own nothing, even if their memory
/// resembles references.
///
/// A witness table begins with the address of its conformance descriptor. Reads copies only.
///
/// Source: `TargetProtocolConformanceDescriptor` in include/swift/ABI/Metadata.h, and `ContextDescriptorKind` and
/// `ConformanceFlags` in include/swift/ABI/MetadataValues.h of swiftlang/swift.
struct WitnessTables {
  /// The kinds of context descriptors, in the low bits of their flags.
  private enum ContextKind {
    static let mask: UInt32 = 0x1f
    static let `protocol`: UInt32 = 3
    /// Classes, structs and enums.
    static let types: ClosedRange<UInt32> = 16...18
  }

  private let memory: MemoryMap
  private let words: CopiedMemory
  /// Whether a word is the address of a conformance descriptor, by the complement of the word.
  private var conformances: [UInt: Bool] = [:]

  init(memory: MemoryMap, words: CopiedMemory) {
    self.memory = memory
    self.words = words
  }

  /// Checks whether a witness table is at an address, which is a multiple of 8, and caches the
  /// result.
  mutating func checkForTable(at address: UInt) -> Bool {
    guard let descriptor = words.word(at: address), descriptor & 3 == 0 else { return false }
    if let known = conformances[~descriptor] { return known }
    let isConformance = isConformance(descriptor)
    conformances[~descriptor] = isConformance
    return isConformance
  }

  /// Whether a conformance descriptor is at an address.
  ///
  /// The checks, in order:
  /// 1. The descriptor is in an image. So are other constants with which heap memory begins, such
  ///    as those of asynchronous functions.
  /// 2. Its flags, at offset 12, have three unused bits, and the kind of the reference to the type.
  /// 3. Its first four bytes are a relative reference to a protocol descriptor.
  /// 4. The next four are a relative reference to a type descriptor, or to the name or class of an
  ///    Objective-C type.
  private func isConformance(_ descriptor: UInt) -> Bool {
    guard memory.region(of: descriptor)?.isImage == true, let flags = half(at: descriptor + 12),
      flags & 7 == 0,
      let toProtocol = half(at: descriptor), toProtocol & 2 == 0,
      let described = target(at: descriptor, isIndirect: toProtocol & 1 != 0),
      let kind = half(at: described), kind & ContextKind.mask == ContextKind.protocol
    else { return false }
    let referenceKind = flags >> 3 & 7
    guard referenceKind < 4, let type = target(at: descriptor + 4, isIndirect: referenceKind == 1)
    else { return false }
    guard referenceKind < 2 else { return true }
    return half(at: type).map { ContextKind.types.contains($0 & ContextKind.mask) } ?? false
  }

  /// The target of the relative reference at an address; nil if it is not in an image.
  ///
  /// An indirect reference leads to a word with the address of the target.
  private func target(at address: UInt, isIndirect: Bool) -> UInt? {
    guard let way = half(at: address), way & ~3 != 0 else { return nil }
    let relative = Int(Int32(bitPattern: way & ~3))
    let direct = UInt(bitPattern: Int(bitPattern: address) + relative)
    guard memory.region(of: direct)?.isImage == true else { return nil }
    guard isIndirect else { return direct }
    guard direct & 7 == 0, let target = words.word(at: direct),
      memory.region(of: target)?.isImage == true
    else { return nil }
    return target
  }

  /// The four bytes at an address; nil if it is not a multiple of 4.
  private func half(at address: UInt) -> UInt32? {
    guard address & 3 == 0 else { return nil }
    return words.word(at: address & ~7).map {
      UInt32(truncatingIfNeeded: address & 4 == 0 ? $0 : $0 >> 32)
    }
  }
}
