/// Finds out whether memory is a witness table that the runtime made: it owns nothing, whatever lies around it.
///
/// Such a table begins with the address of its conformance's descriptor. All is read from copies.
///
/// Source: `TargetProtocolConformanceDescriptor` in include/swift/ABI/Metadata.h, and `ContextDescriptorKind` and
/// `ConformanceFlags` in include/swift/ABI/MetadataValues.h of swiftlang/swift.
struct WitnessTables {
  /// What the flags of a context's descriptor say that it describes.
  private enum ContextKind {
    static let mask: UInt32 = 0x1f
    static let `protocol`: UInt32 = 3
    /// Classes, structs and enums.
    static let types: ClosedRange<UInt32> = 16...18
  }

  private let memory: MemoryMap
  private let words: CopiedMemory
  /// Whether a word is the address of a conformance's descriptor, by its complement.
  private var conformances: [UInt: Bool] = [:]

  init(memory: MemoryMap, words: CopiedMemory) {
    self.memory = memory
    self.words = words
  }

  /// Checks whether a witness table is at an address, which is a multiple of 8, and remembers the answer.
  mutating func checkForTable(at address: UInt) -> Bool {
    guard let descriptor = words.word(at: address), descriptor & 3 == 0 else { return false }
    if let known = conformances[~descriptor] { return known }
    let isConformance = isConformance(descriptor)
    conformances[~descriptor] = isConformance
    return isConformance
  }

  /// Whether a conformance's descriptor is at an address.
  ///
  /// In order, and why:
  /// 1. The descriptor lies in an image. So do other constants that heap memory begins with, such as those of
  ///    asynchronous functions.
  /// 2. Its flags, at 12 bytes, have three bits that are not used, and say how the type is referred to.
  /// 3. Its first 4 bytes lead, relative to themselves, to the descriptor of a protocol, which says so.
  /// 4. The next 4 lead to that of a type, or to the name or the class of Objective-C's.
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

  /// Where the 4 bytes at an address lead relative to it; nil if that is not in an image.
  ///
  /// An indirect reference leads to the address of what is meant.
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

  /// The 4 bytes at an address; nil if it is no multiple of 4.
  private func half(at address: UInt) -> UInt32? {
    guard address & 3 == 0 else { return nil }
    return words.word(at: address & ~7).map {
      UInt32(truncatingIfNeeded: address & 4 == 0 ? $0 : $0 >> 32)
    }
  }
}
