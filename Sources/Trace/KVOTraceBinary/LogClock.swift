import KVOTrace

/// Turns ticks of a recorder's clock into nanoseconds, exactly as the format says.
///
/// The result is the whole part of a fraction with a 128-bit numerator. Instead of dividing for each event, the rate is
/// multiplied in as a number with 64 binary places, which yields the result or one less; multiplying back shows which.
struct LogClock {
  private let start: BinaryFileHeader.Moment
  /// Ticks and nanoseconds from the start to the other moment; no ticks: ticks are nanoseconds.
  private let ticks: UInt64
  private let nanoseconds: UInt64
  /// Nanoseconds per tick, times 2^64.
  private let rate: (whole: UInt64, fraction: UInt64)

  /// Creates the clock from two readings; without a later one, a tick is a nanosecond.
  init(start: BinaryFileHeader.Moment, later: BinaryFileHeader.Moment) {
    self.start = start
    guard later.tick > start.tick, later.nanoseconds > start.nanoseconds else {
      ticks = 0
      nanoseconds = 0
      rate = (1, 0)
      return
    }
    ticks = later.tick - start.tick
    nanoseconds = later.nanoseconds - start.nanoseconds
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: ticks)
    rate = (whole, ticks.dividingFullWidth((rest, 0)).quotient)
  }

  /// Whether a tick is its number of nanoseconds.
  var isIdentity: Bool { ticks == 0 && start == BinaryFileHeader.Moment() }

  /// The nanoseconds of `tick`, from 0 to the greatest number there is.
  ///
  /// Complexity: O(1).
  @inline(__always)
  func nanoseconds(of tick: UInt64) -> UInt64 {
    if tick < start.tick { return before(start.tick - tick) }
    let (elapsed, overflow) = scaled(tick - start.tick)
    let (sum, isTooLarge) = elapsed.addingReportingOverflow(start.nanoseconds)
    return overflow || isTooLarge ? .max : sum
  }

  /// The whole part of `count` ticks in nanoseconds, and whether that does not fit.
  @inline(__always)
  private func scaled(_ count: UInt64) -> (UInt64, overflow: Bool) {
    if ticks == 0 { return (count, false) }
    let (wholes, overflow) = count.multipliedReportingOverflow(by: rate.whole)
    let (estimate, carry) = wholes.addingReportingOverflow(
      count.multipliedFullWidth(by: rate.fraction).high
    )
    if overflow || carry { return (.max, true) }
    // The remainder is less than two ticks, so the low words suffice.
    let product = count.multipliedFullWidth(by: nanoseconds)
    let back = estimate.multipliedFullWidth(by: ticks)
    let (low, borrow) = product.low.subtractingReportingOverflow(back.low)
    let high = product.high &- back.high &- (borrow ? 1 : 0)
    let isShort = high > 0 || low >= ticks
    return isShort ? estimate.addingReportingOverflow(1) : (estimate, false)
  }

  /// The nanoseconds of `count` ticks before the start: rounded down, so away from it.
  private func before(_ count: UInt64) -> UInt64 {
    let (elapsed, overflow) = scaled(count)
    if overflow { return 0 }
    let isExact =
      ticks == 0
      || count.multipliedFullWidth(by: nanoseconds) == elapsed.multipliedFullWidth(by: ticks)
    let rounded = isExact ? elapsed : elapsed.addingReportingOverflow(1).partialValue
    return start.nanoseconds > rounded ? start.nanoseconds - rounded : 0
  }
}
