import KVOSafety
import TestSupport

/// One step of a random program; numbers are taken modulo what there is, so that any part of a program is one.
indirect enum ModelStep: CustomStringConvertible {
  case add(ModelRegistration)
  case remove(Int)
  case set(Int, ModelAssignment)
  /// Releases an object, and replaces it by a new one.
  case replace(Int)

  var description: String {
    switch self {
    case .add(let registration): "add \(registration)"
    case .remove(let index): "remove \(index)"
    case .set(let node, let assignment): "set \(node) \(assignment)"
    case .replace(let node): "replace \(node)"
    }
  }
}

enum ModelAssignment {
  case value(Int)
  case odd(Int)
  /// A notification by hand of a key whose value stays.
  case even
  case next(Int?)
  case other(Int?)
  case link(Int?)
  case items([Int])
  case insert(Int, at: Int)
  case removeItem(at: Int)
  case replaceItem(at: Int, with: Int)

  var isOfItems: Bool {
    switch self {
    case .items, .insert, .removeItem, .replaceItem: true
    default: false
    }
  }
}

/// A registration that a program makes.
struct ModelRegistration: CustomStringConvertible {
  enum Form: CaseIterable { case token, typed, classic, stream }

  var node: Int
  var path: String
  var options: ObservingOptions
  var form: Form
  /// What the callback does, once.
  var script: [ModelStep]

  var description: String {
    let script = script.isEmpty ? "" : " then \(script)"
    return "\(form) \(node).\(path) \(options.rawValue)\(script)"
  }
}

/// Makes random programs.
struct ModelGenerator {
  static let nodeCount = 4
  static let paths = [
    "value", "next", "link", "items", "odd", "even", "total", "deep", "best", "count",
    "next.value", "next.next.value", "next.next", "other.value", "link.value", "link.next.value",
    "best.value", "best.next.value", "champion.value", "guest.value", "guest.best.value",
    "next.total", "best.deep", "next.link", "link.link.value", "other.items", "next.odd",
  ]
  /// Paths that are also observed by key path.
  static let typedPaths = ["value", "link", "items", "total", "next.value", "best"]

  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func program() -> [ModelStep] {
    (0..<Int.random(in: 4...24, using: &random)).map { _ in step(isNested: false) }
  }

  private mutating func step(isNested: Bool) -> ModelStep {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<(isNested ? 2 : 4): return .add(registration(isNested: isNested))
    case 4: return .remove(number(8))
    case 5 where !isNested: return .replace(number(Self.nodeCount))
    default: return .set(number(Self.nodeCount), assignment())
    }
  }

  private mutating func registration(isNested: Bool) -> ModelRegistration {
    let form = ModelRegistration.Form.allCases[number(4)]
    let paths = form == .typed ? Self.typedPaths : Self.paths
    let hasScript = !isNested && number(3) == 0
    return ModelRegistration(
      node: number(Self.nodeCount),
      path: paths[number(paths.count)],
      options: form == .stream ? [.initial, .new] : ObservingOptions(rawValue: UInt(number(16))),
      form: form,
      script: hasScript ? (0...number(3)).map { _ in step(isNested: true) } : []
    )
  }

  private mutating func assignment() -> ModelAssignment {
    let node = number(5) == 0 ? nil : number(Self.nodeCount)
    return switch number(14) {
    case 0, 1: .value(number(9))
    case 2: number(2) == 0 ? .odd(number(9)) : .even
    case 3, 4, 5: .next(node)
    case 6, 7: .other(node)
    case 8, 9: .link(node)
    case 10: .items((0..<number(4)).map { $0 })
    case 11: .insert(number(9), at: number(4))
    case 12: .removeItem(at: number(4))
    default: .replaceItem(at: number(4), with: number(9))
    }
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
