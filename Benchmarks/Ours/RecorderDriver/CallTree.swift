import KVORecorder
import KVOTrace

/// The work at the end of a chain of calls.
///
/// A class, and an instance of it is created where the optimizer does not see it: otherwise it
/// would specialize the chain for each class, and turn calls into loops.
class ChainEnd {
  /// Performs it `count` times, beginning at number `first`.
  ///
  /// - Returns: an arbitrary number.
  func reached(first: Int, count: Int) -> Int { 0 }
}

/// Records events, each with the stack that leads to it.
final class EventsWithStack: ChainEnd {
  override func reached(first: Int, count: Int) -> Int {
    for number in UInt64(first)..<UInt64(first + count) {
      let delivery = Delivery(
        registration: RegistrationID(number & 63),
        change: ChangeID(number),
        phase: .after
      )
      let stack = Recorder.shared.captureStack()
      Recorder.shared.record(delivery, isEnd: false, order: number, stack: stack)
    }
    return count
  }
}

/// Finds the number of frames that the stack of an event would have.
final class FrameCounter: ChainEnd {
  override func reached(first: Int, count: Int) -> Int {
    let recorder = Recorder.shared
    let stack = recorder.captureStack()
    return recorder.names[stack].count
  }
}

/// Chains of calls that end at a ``ChainEnd``.
enum CallTree {
  /// The number of frames of a stack in these measurements.
  private static let frameCount = 16

  /// The number of levels that a measurement needs for stacks of 16 frames.
  ///
  /// The measured closure is called where this function is, and adds one frame.
  @inline(never)
  static func levels() -> Int {
    let counted = descend(0, path: 0, to: FrameCounter(), first: 0, count: 1)
    return max(0, frameCount - counted - 1)
  }

  /// Calls `end` below `levels` further frames.
  ///
  /// Each level has eight call sites for the next one, and three bits of `path` choose one: with
  /// 8^levels different paths, no two stacks are equal. Not optimized, so that every call remains a
  /// call.
  @inline(never)
  @_optimize(none)
  static func descend(
    _ levels: Int,
    path: Int,
    to end: ChainEnd,
    first: Int,
    count: Int
  ) -> Int {
    guard levels > 0 else { return end.reached(first: first, count: count) }
    switch path & 7 {
    case 0: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 1
    case 1: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 2
    case 2: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 3
    case 3: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 4
    case 4: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 5
    case 5: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 6
    case 6: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 7
    default: return descend(levels - 1, path: path >> 3, to: end, first: first, count: count) &+ 8
    }
  }
}
