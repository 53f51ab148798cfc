import KVORules

/// A line on standard error that shows the progress of a long read.
///
/// Draws nothing in the first second, nothing if standard error is not a terminal, and at most ten
/// times a second. Not synchronized.
final class ProgressBar {
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let isEnabled: Bool
  private var lastDrawn: ContinuousClock.Instant?

  private static let width = 30

  init() {
    start = clock.now
    isEnabled = StandardStreams.isErrorTerminal
  }

  /// Shows that `readByteCount` of `byteCount` bytes of `label` were read; nil: the total is not
  /// known.
  func update(_ label: String, readByteCount: Int, byteCount: Int?) {
    guard isEnabled else { return }
    let now = clock.now
    guard now - start > .seconds(1), now - (lastDrawn ?? start) > .milliseconds(100) else { return }
    lastDrawn = now
    // The name of a file may act on a terminal.
    let label = ShownText.escaped(label)
    let megabytes = "\(readByteCount >> 20) MB"
    guard let byteCount, byteCount > 0 else {
      StandardStreams.show("\r\u{1b}[K\(label): \(megabytes)")
      return
    }
    // A log that is being written may grow beyond its initial size.
    let share = min(1, Double(readByteCount) / Double(byteCount))
    let filled = Int(share * Double(Self.width))
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: ".", count: Self.width - filled)
    StandardStreams.show("\r\u{1b}[K[\(bar)] \(Int(share * 100)) % of \(label), \(megabytes)")
  }

  /// Clears the line.
  func clear() {
    if lastDrawn != nil { StandardStreams.show("\r\u{1b}[K") }
    lastDrawn = nil
  }
}
