import Foundation
import Testing

@testable import KVOSafety

// Scenarios of PMKVObserverTests/KVObserverTests.swift in postmates/PMKVObserver (73f00b3) of values; each function
// has the name of its scenario.

private enum Stage: Int { case zero, one, two }

private final class Inner: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("stage", \Inner.stage))
  var stage = Stage.zero {
    willSet { willChangeValue(for: \.stage) }
    didSet { didChangeValue(for: \.stage) }
  }
}

private final class Outer: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("inner", \Outer.inner),
    ObservableKey("number", \Outer.number),
    ObservableKey("anything", \Outer.anything),
    ObservableKey("anythingOrNil", \Outer.anythingOrNil),
    ObservableKey("null", \Outer.null),
    ObservableKey("nullOrNil", \Outer.nullOrNil)
  )
  var inner: Inner? {
    willSet { willChangeValue(for: \.inner) }
    didSet { didChangeValue(for: \.inner) }
  }
  var number: Int? {
    willSet { willChangeValue(for: \.number) }
    didSet { didChangeValue(for: \.number) }
  }
  var anything: Any = 42 {
    willSet { willChangeValue(for: \.anything) }
    didSet { didChangeValue(for: \.anything) }
  }
  var anythingOrNil: Any? {
    willSet { willChangeValue(for: \.anythingOrNil) }
    didSet { didChangeValue(for: \.anythingOrNil) }
  }
  var null = NSNull() {
    willSet { willChangeValue(for: \.null) }
    didSet { didChangeValue(for: \.null) }
  }
  var nullOrNil: NSNull? {
    willSet { willChangeValue(for: \.nullOrNil) }
    didSet { didChangeValue(for: \.nullOrNil) }
  }
}

@Suite("PMKVObserver's scenarios of values")
struct PMKVObserverValueTests {
  private let outer = Outer()

  /// Old and new value of each notification, while `body` runs.
  private func heard<Value>(
    _ keyPath: KeyPath<Outer, Value?>,
    options: ObservingOptions = [.initial, .old, .new],
    _ body: () -> Void
  ) -> [String] {
    var heard: [String] = []
    let token = outer.observe(keyPath, options: options) { _, change in
      heard.append("\(text(change.oldValue)) \(text(change.newValue))")
    }
    body()
    token.invalidate()
    return heard
  }

  @Test("an enum comes as it is, and the handler ends its observation")
  func observingEnum() {
    let inner = Inner()
    var heard: [[Stage?]] = []
    let token = inner.observe(\.stage, options: [.old, .new]) { _, change, token in
      heard.append([change.oldValue, change.newValue])
      token.invalidate()
    }
    inner.stage = .one
    inner.stage = .two
    token.invalidate()
    #expect(heard == [[.zero, .one]])
  }

  @Test("the value of a path that ends early is nil, before and after; a missing value is not")
  func observingOptionalEnum() {
    func change() {
      outer.inner = Inner()
      outer.inner?.stage = .one
      outer.inner = nil
    }
    let both = heard(\.inner?.stage, change)
    #expect(both == ["- nil", "nil <zero>", "<zero> <one>", "<one> nil"])
    #expect(heard(\.inner?.stage, options: [.new], change) == ["- <zero>", "- <one>", "- nil"])
    #expect(heard(\.inner?.stage, options: [.old], change) == ["nil -", "<zero> -", "<one> -"])
  }

  @Test("a value that is nil is old and new as every other")
  func observingOptionalValue() {
    let heard = heard(\.number) {
      outer.number = 42
      outer.number = 84
      outer.number = nil
    }
    #expect(heard == ["- nil", "nil <42>", "<42> <84>", "<84> nil"])
  }

  @Test("an Any holds a null object as every other")
  func observingAnyWithNSNull() {
    var heard: [[String]] = []
    let token = outer.observe(\.anything, options: [.initial, .old, .new]) { _, change in
      heard.append([change.oldValue, change.newValue].map { $0.map { "\($0)" } ?? "-" })
    }
    outer.anything = NSNull()
    token.invalidate()
    #expect(heard == [["-", "42"], ["42", "\(NSNull())"]])
  }

  // KVO of Objective-C replaces nil by a null object, so PMKVObserver makes nil of both. Here nothing is
  // replaced, and a null object that was set is reported as one.
  @Test("an optional Any distinguishes a null object from nil")
  func observingOptAnyWithNSNull() {
    let heard = heard(\.anythingOrNil) {
      outer.anythingOrNil = 42
      outer.anythingOrNil = NSNull()
      outer.anythingOrNil = nil
    }
    #expect(heard == ["- nil", "nil <42>", "<42> <\(NSNull())>", "<\(NSNull())> nil"])
  }

  @Test("a null object is a value, and an optional one is distinguished from nil")
  func observingNull() {
    var isThere: [[Bool]] = []
    let token = outer.observe(\.null, options: [.initial, .old, .new]) { _, change in
      isThere.append([change.oldValue != nil, change.newValue != nil])
    }
    outer.null = NSNull()
    token.invalidate()
    #expect(isThere == [[false, true], [true, true]])
    let heard = heard(\.nullOrNil) {
      outer.nullOrNil = NSNull()
      outer.nullOrNil = nil
    }
    #expect(heard == ["- nil", "nil <\(NSNull())>", "<\(NSNull())> nil"])
  }
}
