import KVOTrace

/// The strings and stacks that a binary log defines, as ids of one ``TraceNames``.
final class BinaryTables {
  var names: TraceNames
  let strings = NumberMap()
  let stacks = NumberMap()
  /// The identifiers that texts spell, when that is not the text itself: a decimal number.
  private(set) var numerals: [StringID: UInt64] = [:]
  // What events hold of a string besides its id. Made once and shared: an event names a string of megabytes in a byte.
  private var texts: [StringID: String] = [:]
  private var paths: [StringID: AffectingPath] = [:]

  init(names: TraceNames) { self.names = names }

  /// The text of `id`, whose memory all that have it share.
  func text(_ id: StringID) -> String {
    if let known = texts[id] { return known }
    let text = names[id]
    texts[id] = text
    return text
  }

  /// The key path that `id` spells, whose memory all that have it share.
  func affectingPath(_ id: StringID) -> AffectingPath {
    if let known = paths[id] { return known }
    let path = names.affectingPath(names[id])
    paths[id] = path
    return path
  }

  /// Why a definition is unusable.
  enum Flaw: Error {
    /// Its bytes are malformed.
    case malformed
    /// It contradicts an earlier one.
    case contradiction
  }

  /// Reads the definition of `kind` that begins at the decoder's position, after the kind byte.
  ///
  /// Complexity: O(size of the definition).
  func take(
    _ kind: BinaryFormat.Record,
    _ decoder: inout BinaryRecordDecoder
  ) throws(Flaw) {
    let number = decoder.varint()
    let count = decoder.varint()
    // Every byte and every frame takes at least one byte of the remaining bytes.
    guard number > 0, count <= decoder.leftByteCount else { throw .malformed }
    let isConsistent: Bool
    switch kind {
    case .string:
      let text = decoder.text(byteCount: Int(count))
      guard decoder.isSound else { throw .malformed }
      let id = names.id(of: text)
      if let value = UInt64(text), value >> 62 == 0, String(value) == text { numerals[id] = value }
      isConsistent = strings.define(number, as: id.rawValue)
    case .stack:
      let frames = bareFrames(Int(count), &decoder)
      guard decoder.isSound else { throw .malformed }
      isConsistent = stacks.define(number, as: names.id(of: frames).rawValue)
    case .describedStack:
      let frames = describedFrames(Int(count), &decoder)
      guard decoder.isSound else { throw .malformed }
      // A frame whose strings are lost is unreliable.
      if decoder.takeHasLostString() { return }
      isConsistent = stacks.define(number, as: names.id(of: frames).rawValue)
    default: throw .malformed
    }
    if !isConsistent { throw .contradiction }
  }

  private func bareFrames(_ count: Int, _ decoder: inout BinaryRecordDecoder) -> [Frame] {
    var frames: [Frame] = []
    frames.reserveCapacity(count)
    var address: UInt64 = 0
    for _ in 0..<count where decoder.isSound {
      address = address &+ UInt64(bitPattern: decoder.zigzag())
      frames.append(Frame(address: address))
    }
    return frames
  }

  private func describedFrames(_ count: Int, _ decoder: inout BinaryRecordDecoder) -> [Frame] {
    var frames: [Frame] = []
    for _ in 0..<count where decoder.isSound {
      frames.append(
        Frame(
          address: decoder.varint(),
          symbol: tableString(&decoder),
          module: tableString(&decoder),
          file: tableString(&decoder),
          line: decoder.line()
        )
      )
    }
    return frames
  }

  /// A string while the tables are still growing.
  private func tableString(_ decoder: inout BinaryRecordDecoder) -> StringID {
    let id = strings[decoder.varint()]
    if id == NumberMap.missing { decoder.noteLostString() }
    return id == NumberMap.missing ? .none : StringID(rawValue: id)
  }
}
