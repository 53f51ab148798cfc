import Foundation

/// Formats figures for reports with three significant digits.
package enum Figures {
  /// `0.42`, `20.7`, `1,240`.
  package static func number(_ value: Double) -> String {
    value.formatted(
      .number.precision(value < 1_000 ? .significantDigits(3) : .fractionLength(0))
        .locale(Locale(identifier: "en_US"))
    )
  }

  /// `1.04×`, `8×`.
  package static func ratio(_ value: Double) -> String {
    let text = value.formatted(
      .number.precision(value < 1_000 ? .significantDigits(1...3) : .fractionLength(0))
        .locale(Locale(identifier: "en_US"))
    )
    return "\(text)×"
  }

  /// Nanoseconds in a suitable unit: `20.7 ns`, `1.52 ms`.
  package static func time(_ nanoseconds: Double) -> String {
    let unit = Unit(suiting: nanoseconds)
    return "\(number(nanoseconds / unit.nanoseconds)) \(unit.name)"
  }

  /// Nanoseconds that are added to others: `7.5 ns`, `-0.2 ns`.
  package static func sum(_ nanoseconds: Double) -> String {
    let text = nanoseconds.formatted(
      .number.precision(.fractionLength(0...1)).locale(Locale(identifier: "en_US"))
    )
    return "\(text) ns"
  }

  /// The median and the interquartile range: `20.7 ns (20.5 – 21.2 ns)`.
  package static func spread(_ statistics: Statistics) -> String {
    let unit = Unit(suiting: statistics.median)
    let low = number(statistics.lowerQuartile / unit.nanoseconds)
    let high = number(statistics.upperQuartile / unit.nanoseconds)
    return "\(time(statistics.median)) (\(low) – \(high) \(unit.name))"
  }

  private struct Unit {
    var name: String
    var nanoseconds: Double

    init(suiting nanoseconds: Double) {
      (name, self.nanoseconds) =
        switch nanoseconds {
        case ..<1e4: ("ns", 1)
        case ..<1e6: ("µs", 1e3)
        case ..<1e9: ("ms", 1e6)
        default: ("s", 1e9)
        }
    }
  }
}
