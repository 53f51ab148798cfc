import Foundation
import KVORules
import KVOTrace
import Synchronization
import Testing

@testable import KVOSafety

/// Holds each Swift line that a finding advises, so that the compiler checks it.
///
/// Nothing here runs. A test compares the lines with those of the catalogue.
private final class Adviser: KeyValueObserver {
  static let ownContext = ObservationContext()
  private var token: ObservationToken?
  private var account: Account
  private let isOpen = false
  private let balanceContext = ObservationContext()
  private lazy var observations = ObservationController(owner: self)
  private let lock = Mutex(0)

  init(_ account: Account) { self.account = account }

  deinit { account.removeObserver(self, forKeyPath: "balance") }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    if keyPath == "balance" { return .handled }
    return .unhandled
  }

  func classic() {
    account.addObserver(self, forKeyPath: "balance")
    account.removeObserver(self, forKeyPath: "balance")
    account.addObserver(self, forKeyPath: "balance", context: balanceContext)
    account.removeObserver(self, forKeyPath: "balance", context: balanceContext)
  }

  func tokens() {
    token = account.observe(keyPath: "balance") { _, _ in }
    token?.invalidate()
    token = nil
    self.token = account.observe(keyPath: "balance") { _, _ in }
    token = account.observe(keyPath: "balance", options: [.initial, .new]) { _, _ in }
    token = account.observe(keyPath: "balance") { [weak self] _, _ in _ = self }
    token = account.observe(\.balance, options: [.old, .new]) { _, change in
      guard change.newValue != change.oldValue else { return }
    }
    token = account.observe(\.balance, expectedToLive: "why") { _, _ in }
    guard isOpen else { return }
  }

  func ends(token: ObservationToken, task: Task<Void, Never>) {
    token.invalidate()
    token.invalidateAndWait()
    task.cancel()
  }

  func controllers() {
    observations.unobserve(account, keyPath: "balance")
    observations.observe(account, keyPath: "balance") { owner, _, _ in _ = owner }
    observations.unobserveAll()
  }

  func executors() {
    token = account.observeOnMainActor(\.balance) { hopped in _ = hopped }
    token = account.observe(\.balance, isolation: nil) { _, _ in }
    let new = lock.withLock { $0 + 1 }
    _ = new
  }
}

/// Observes under a context.
private final class ContextAdviser: KeyValueObserver {
  private let account: Account
  private let balanceContext = ObservationContext()

  init(_ account: Account) { self.account = account }

  deinit { account.removeObserver(self, forKeyPath: "balance", context: balanceContext) }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}

/// Observes itself, and removes itself.
private final class OwnAdviser: KeyValueObservable, KeyValueObserver {
  static let observableKeys = ObservableKeyTable()
  let observationRegistrar = ObservationRegistrar()

  deinit { removeObserver(self, forKeyPath: "balance") }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}

/// Observes itself under a context.
private final class OwnContextAdviser: KeyValueObservable, KeyValueObserver {
  static let observableKeys = ObservableKeyTable()
  let observationRegistrar = ObservationRegistrar()
  private let balanceContext = ObservationContext()

  deinit { removeObserver(self, forKeyPath: "balance", context: balanceContext) }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}

@MainActor
private final class StreamOwner {
  func iterate() {
    Task { [weak self] in _ = self }
  }
}

extension Account {
  fileprivate func bracket() {
    willChangeValue(forKey: "balance")
    defer { didChangeValue(forKey: "balance") }
    balance += 1
  }
}

@Suite("A line that a finding advises")
struct AdvisedLineTests {
  /// Lines of this file, between which blanks do not count.
  private static let source: String = {
    let text = (try? String(contentsOfFile: #filePath, encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }()

  /// Words that are a name, a type or a part of a declaration, not a line.
  private static let names: Set<String> = ["didSet", "observe", "observeEach", "isolated deinit"]

  /// The lines between backticks; what belongs to the adapter of notification centers has a test there.
  private static func lines(_ hint: String) -> [String] {
    hint.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }
      .map { String($0.element) }
      .filter { !names.contains($0) && !$0.contains("center.") && !isObjectiveC($0) }
  }

  /// Rules that only an Objective-C Foundation can break advise in its language.
  private static func isObjectiveC(_ line: String) -> Bool {
    ["-", "+", "["].contains { line.hasPrefix($0) }
  }

  /// Whether `line` is in this file, one statement per line, where `…` matches anything without a brace.
  private static func isCompiled(_ line: String) -> Bool {
    let parts = line.replacing(";", with: "").split(separator: "…").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    var rest = Substring(source)
    while let start = rest.firstRange(of: parts[0]) {
      rest = rest[start.upperBound...]
      guard parts.count > 1 else { return true }
      if let end = rest.firstRange(of: parts[1]),
        !rest[..<end.lowerBound].contains(where: { "{}".contains($0) })
      {
        return true
      }
    }
    return false
  }

  @Test("is one that the compiler has checked", arguments: RuleCode.allCases)
  func compiled(code: RuleCode) throws {
    var names = TraceNames()
    let subject = ObjectRef(id: ObjectID(1), className: names.id(of: "Account"))
    let observer = ObjectRef(id: ObjectID(2), className: names.id(of: "Adviser"))
    let named = Context.named(names.id(of: "balanceContext#7"))
    let callers: [(ObjectRef?, Context)] = [
      (observer, named), (observer, .null), (subject, named), (nil, .null),
    ]
    for form in [nil] + Registration.Form.allCases.map(Optional.some) {
      for (who, context) in callers {
        var verdict = Verdict(
          code,
          subject: subject,
          observer: who,
          keyPath: names.id(of: "balance"),
          context: context,
          evidence: [],
          detail: .otherContexts([named])
        )
        verdict.form = form
        let builder = FindingBuilder(names: names, profile: .swift)
        let hint = builder.finding(for: verdict).hint
        for line in Self.lines(hint) {
          // Who observes itself calls itself as others call the account.
          let line = ["self.observe", "self.addObserver", "self.removeObserver"]
            .reduce(line) { $0.replacing($1, with: "account" + $1.dropFirst(4)) }
            .replacing("(self, key", with: "(account, key")
          #expect(Self.isCompiled(line), "\(code.rawValue): \(line)")
        }
      }
    }
  }
}
