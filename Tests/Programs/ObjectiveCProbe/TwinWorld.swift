import KVOSafety
import KVOSafetyObjectiveC

/// Objects of one language that a program runs over, by their positions.
protocol TwinWorld: AnyObject {
  func replace(_ twin: Int)
  func setValue(_ twin: Int, _ value: Int)
  func bump(_ twin: Int)
  func setNext(_ twin: Int, _ next: Int?)
  func setOther(_ twin: Int, _ other: Int?)
  func setItems(_ twin: Int, count: Int)
  func insert(_ item: Int, into twin: Int, at index: Int)
  func removeItem(of twin: Int, at index: Int)
  func itemCount(_ twin: Int) -> Int
  func observe(
    _ registration: TwinRegistration,
    _ told: @escaping (TwinChange) -> Void
  ) -> ObservationToken
  func end()
}

/// A change as both languages have it.
struct TwinChange {
  private let kind: ObservedChangeKind
  private let isPrior: Bool
  private let old: String
  private let new: String
  private let indexes: String

  init<Value>(_ change: ObservedChange<Value>, _ text: (Value) -> String) {
    kind = change.kind
    isPrior = change.isPrior
    old = change.oldValue.map(text) ?? "nil"
    new = change.newValue.map(text) ?? "nil"
    let ranges = change.indexes.map { Array($0.ranges) } ?? []
    indexes = ranges.map { "\($0)" }.joined(separator: ",")
  }

  /// What is compared of a change of a property that has one value.
  var text: String { isPrior ? "\(kind) prior \(old)" : "\(kind) \(old) \(new)" }

  /// What is compared of a change of a collection: what GNUstep 1.28 does not repeat from the change before.
  var textOfElements: String {
    if isPrior { return "\(kind) prior" }
    return switch kind {
    case .setting: "\(kind) \(new)"
    case .removal: "\(kind) \(old) \(indexes)"
    default: "\(kind) \(new) \(indexes)"
    }
  }

  /// What is compared of an initial notification; likewise.
  var textAtFirst: String { "initial \(new)" }
}

/// Objects of `Twin.m`, observed by the Foundation that is loaded.
final class ObjectiveCTwins: TwinWorld {
  private let library: TwinLibrary
  private var twins: [TwinLibrary.Object] = []
  /// Those that were replaced, which others may refer to still.
  private var replaced: [TwinLibrary.Object] = []
  private var lastNumber: Int32 = 0

  init(_ library: TwinLibrary) {
    self.library = library
    twins = (0..<TwinGenerator.twinCount).map { _ in make() }
  }

  private func make() -> TwinLibrary.Object {
    lastNumber += 1
    return library.make(lastNumber)
  }

  func replace(_ twin: Int) {
    replaced.append(twins[twin])
    twins[twin] = make()
  }
  func setValue(_ twin: Int, _ value: Int) { library.setValue(twins[twin], Int32(value)) }
  func bump(_ twin: Int) { library.bump(twins[twin]) }
  func setNext(_ twin: Int, _ next: Int?) { library.setNext(twins[twin], next.map { twins[$0] }) }
  func setOther(_ twin: Int, _ other: Int?) {
    library.setOther(twins[twin], other.map { twins[$0] })
  }
  func setItems(_ twin: Int, count: Int) { library.setItems(twins[twin], Int32(count)) }
  func insert(_ item: Int, into twin: Int, at index: Int) {
    library.insert(twins[twin], Int32(item), Int32(index))
  }
  func removeItem(of twin: Int, at index: Int) { library.remove(twins[twin], Int32(index)) }
  func itemCount(_ twin: Int) -> Int { Int(library.itemCount(twins[twin])) }

  func observe(
    _ registration: TwinRegistration,
    _ told: @escaping (TwinChange) -> Void
  ) -> ObservationToken {
    let object = ObjectiveCObject(twins[registration.twin])
    let library = library
    do {
      return try object.observe(
        keyPath: registration.path,
        options: registration.options
      ) { _, change in told(TwinChange(change) { library.text(of: $0.pointer) }) }
    } catch {
      fatalError("\(error)")
    }
  }

  func end() {
    let all = twins + replaced
    all.forEach(library.cut)
    all.forEach(library.release)
  }
}

/// The same in Swift.
final class SwiftTwins: TwinWorld {
  private var twins: [SwiftTwin] = []
  private var replaced: [SwiftTwin] = []
  private var lastNumber = 0

  init() { twins = (0..<TwinGenerator.twinCount).map { _ in make() } }

  private func make() -> SwiftTwin {
    lastNumber += 1
    return SwiftTwin(lastNumber)
  }

  func replace(_ twin: Int) {
    replaced.append(twins[twin])
    twins[twin] = make()
  }
  func setValue(_ twin: Int, _ value: Int) { twins[twin].value = value }
  func bump(_ twin: Int) { twins[twin].label += 1 }
  func setNext(_ twin: Int, _ next: Int?) { twins[twin].next = next.map { twins[$0] } }
  func setOther(_ twin: Int, _ other: Int?) { twins[twin].other = other.map { twins[$0] } }
  func setItems(_ twin: Int, count: Int) { twins[twin].items = Array(0..<count) }
  func insert(_ item: Int, into twin: Int, at index: Int) {
    attempt { try twins[twin].mutableValues(of: \.items).insert(item, at: index) }
  }
  func removeItem(of twin: Int, at index: Int) {
    attempt { _ = try twins[twin].mutableValues(of: \.items).remove(at: index) }
  }
  func itemCount(_ twin: Int) -> Int { twins[twin].items.count }

  private func attempt(_ change: () throws -> Void) {
    do { try change() } catch { fatalError("\(error)") }
  }

  func observe(
    _ registration: TwinRegistration,
    _ told: @escaping (TwinChange) -> Void
  ) -> ObservationToken {
    twins[registration.twin].observe(
      keyPath: registration.path,
      options: registration.options
    ) { _, change in
      told(TwinChange(change) { ($0 as? SwiftTwin).map { "n\($0.number)" } ?? "\($0)" })
    }
  }

  func end() { (twins + replaced).forEach { $0.cut() } }
}
