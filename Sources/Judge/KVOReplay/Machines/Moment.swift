import KVORules
import KVOTrace

/// When an event happened, as far as its log states that for comparing threads.
struct Moment: Sendable {
  /// The position among the events of one subject.
  private let order: UInt64?
  /// Nanoseconds on a clock that all threads share.
  private let time: UInt64?

  init(of event: UnsafePointer<Event>) {
    order = event.pointee.order
    time = event.pointee.time
  }

  /// Whether the log states that the event, which comes after `other` in it, of the same subject, happened later: by the
  /// orders of both, or else by their times.
  func isStatedLater(than other: Moment) -> Bool {
    if let order, let other = other.order { return order > other }
    guard let time, let other = other.time else { return false }
    return time >= other
  }
}
