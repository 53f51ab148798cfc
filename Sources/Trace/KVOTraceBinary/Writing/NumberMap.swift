import KVOTrace

/// Our ids by the numbers that a file names its strings or stacks by.
///
/// Numbers without large gaps are in an array, others in a dictionary: memory is that of the definitions, whatever
/// numbers a file uses. Owns its memory.
final class NumberMap {
  /// Stands for a number that was not defined.
  static let missing = UInt32.max

  /// The ids of the numbers below ``denseCount``; valid until the next ``define(_:as:)``.
  private(set) var dense: UnsafeMutablePointer<UInt32>
  private(set) var denseCount: UInt64
  private var sparse: [UInt64: UInt32] = [:]
  private var definedCount: UInt64 = 0

  /// Creates a map in which 0 maps to 0.
  init() {
    denseCount = 64
    dense = .allocate(capacity: Int(denseCount))
    dense.initialize(repeating: Self.missing, count: Int(denseCount))
    dense[0] = 0
  }

  deinit { dense.deallocate() }

  /// The id of `number`, or ``missing``.
  subscript(number: UInt64) -> UInt32 {
    number < denseCount ? dense[Int(number)] : sparse[number] ?? Self.missing
  }

  /// Defines `number` as `id`; the first definition counts.
  ///
  /// - Returns: whether it is the first, or the same as the first.
  func define(_ number: UInt64, as id: UInt32) -> Bool {
    let known = self[number]
    if known != Self.missing { return known == id }
    definedCount += 1
    if number >= denseCount, number < 1024 + 4 * definedCount { grow() }
    if number < denseCount {
      dense[Int(number)] = id
    } else {
      sparse[number] = id
    }
    return true
  }

  private func grow() {
    let count = 2048 + 8 * definedCount
    let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: Int(count))
    grown.initialize(from: dense, count: Int(denseCount))
    (grown + Int(denseCount)).initialize(repeating: Self.missing, count: Int(count - denseCount))
    dense.deallocate()
    dense = grown
    denseCount = count
    for (number, id) in sparse where number < count {
      dense[Int(number)] = id
      sparse[number] = nil
    }
  }
}
