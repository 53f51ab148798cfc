import KVOSafety
import TestSupport

/// One step of a random program that runs once over objects in Objective-C and once over objects in Swift.
///
/// Numbers are taken modulo what there is, so that any part of a program is one.
enum TwinStep {
  case observe(TwinRegistration)
  case end(Int)
  case value(Int, Int)
  /// Adds 1 to `label`.
  case bump(Int)
  case next(Int, Int?)
  case other(Int, Int?)
  case items(Int, count: Int)
  case insert(Int, Int, at: Int)
  case remove(Int, at: Int)
  /// Ends the observations of a twin, lets it go, and makes another one.
  case replace(Int)
}

/// A registration that a program makes.
struct TwinRegistration {
  /// What a callback does, the first time that it is called.
  enum Script: CaseIterable { case nothing, bumpsAnother, endsItself, endsAnother }

  var twin: Int
  var path: String
  var options: ObservingOptions
  var script = Script.nothing

  /// Whether it listens on other objects, too.
  var isPath: Bool { path.contains(".") }
  /// Whether it listens to `label`.
  var isOfLabel: Bool { path.hasSuffix("label") || path.hasSuffix("sum") }
}

extension TwinRegistration: CustomStringConvertible {
  var description: String { "\(twin).\(path) \(options.rawValue) \(script)" }
}

/// Makes random programs.
struct TwinGenerator {
  static let twinCount = 4
  private static let keys = [
    "value", "label", "next", "other", "items", "twice", "sum", "best",
  ]
  private static let paths = [
    "next.value", "other.label", "next.twice", "next.items", "next.other", "best.value",
    "other.sum", "next.best",
  ]

  private var random: SplitMix64
  /// Whether a callback does something already: what two do may depend on which is called first.
  private var hasScript = false

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func program() -> [TwinStep] {
    (0..<(6 + number(20))).map { _ in step() }
  }

  private mutating func step() -> TwinStep {
    let twin = number(Self.twinCount)
    // 1.28 notifies the observer of a path that leads back to its own object twice, or of a wrong old value.
    let another = number(4) == 0 ? nil : (twin + 1 + number(Self.twinCount - 1)) % Self.twinCount
    return switch number(17) {
    case 0..<5: .observe(registration(of: twin))
    case 5: .end(number(8))
    case 6, 7: .value(twin, number(9))
    case 8: .bump(twin)
    case 9, 10, 11: .next(twin, another)
    case 12: .other(twin, another)
    case 13: .items(twin, count: number(4))
    case 14: .insert(twin, number(9), at: number(4))
    case 15: .remove(twin, at: number(4))
    default: .replace(twin)
    }
  }

  private mutating func registration(of twin: Int) -> TwinRegistration {
    let isPath = number(3) == 0
    var registration = TwinRegistration(
      twin: twin,
      path: isPath ? Self.paths[number(Self.paths.count)] : Self.keys[number(Self.keys.count)],
      // 1.28 does not notify a path's observer before a change or initially of what it notifies others.
      options: ObservingOptions(rawValue: UInt(number(isPath ? 4 : 16)))
    )
    if !hasScript, !registration.isOfLabel, number(3) == 0 {
      registration.script = TwinRegistration.Script.allCases[number(4)]
      hasScript = true
    }
    return registration
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
