import Foundation

/// How figures are written in reports: three digits that count.
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

  /// Nanoseconds in the unit that suits: `20.7 ns`, `1.52 ms`.
  package static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e4: "\(number(nanoseconds)) ns"
    case ..<1e6: "\(number(nanoseconds / 1e3)) µs"
    case ..<1e9: "\(number(nanoseconds / 1e6)) ms"
    default: "\(number(nanoseconds / 1e9)) s"
    }
  }
}
