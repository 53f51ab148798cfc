#if Macros
import Foundation
import KVOSafety
import Testing

// Raw identifiers (SE-0451), in each kind of property that the macro writes code for.
@KeyValueObservable
private class LitStage {
  var `main light` = 0 {
    willSet { steps.append("will \(`main light`) \(newValue)") }
    didSet { `main light` = min(`main light`, 5) }
  }
  @KeyValue(.ignored) var steps: [String] = []
  @KeyValue(.whenDifferent) var `2nd light` = 0
  lazy var `side light` = 1
  weak var `next stage`: LitStage?
  @KeyValue(.manual) var `exit sign` = true
  @KeyValue(affectedBy: "main light", "next stage.main light") var `all lights`: Int {
    `main light` + (`next stage`?.`main light` ?? 0)
  }
  let `fire door` = 1

  init() {}
  init(light: Int) { self.`main light` = light }
}

@KeyValueObservable
private final class LitOpenStage: LitStage {
  override var `main light`: Int { didSet { steps.append("open") } }
}

@KeyValueObservable
private final class `Play Bill`<Value> {
  var `on top`: Value
  init(_ value: Value) { `on top` = value }
}

@KeyValueObservable
private final class Poster: Encodable {
  var `big letters` = 1
  let (width, height) = (3, 4)
  let paper = 5, ink = 6
  @KeyValue(.ignored) var top = 1, left = 2
  @KeyValue(.ignored) var (x, y) = (1, 2)
}

/// The oracle: what the compiler synthesizes.
private final class PlainPoster: Encodable {
  var `big letters` = 1
  let (width, height) = (3, 4)
  let paper = 5, ink = 6
  var top = 1, left = 2
  var (x, y) = (1, 2)
}

@KeyValueObservable
private final class Pair {
  let left = LitStage(), right = LitStage()
  let (upper, lower) = (LitStage(), 1)
}

@Suite("Names that need backticks, and constants that are declared together")
struct NameTests {
  @Test("a property with a raw identifier notifies under its bare name")
  func raw() {
    let stage = LitStage(light: 9)
    #expect(stage.`main light` == 9)
    var heard: [String] = []
    let names = [
      "main light", "2nd light", "side light", "next stage", "exit sign", "all lights", "fire door",
    ]
    #expect(Set(LitStage.observableKeys.names) == Set(names))
    let tokens = names.map { name in
      stage.observe(keyPath: name, options: [.new]) { _, change in
        heard.append("\(name) \(change.newValue.map { "\($0)" } ?? "nil")")
      }
    }
    stage.`main light` = 7
    #expect(stage.steps == ["will 9 7"])
    stage.`2nd light` = 0
    stage.`2nd light` += 1
    stage.`side light` = 2
    stage.`exit sign` = false
    #expect(heard.sorted() == ["2nd light 1", "all lights 5", "main light 5", "side light 2"])
    tokens.forEach { $0.invalidate() }
  }

  @Test("a key path through raw identifiers is followed, and has a name")
  func paths() {
    let stage = LitStage()
    let next = LitStage()
    stage.`next stage` = next
    var heard: [Int] = []
    let token = stage.observe(\.`next stage`?.`main light`, options: [.new]) { _, change in
      heard.append((change.newValue ?? nil) ?? -1)
    }
    next.`main light` = 3
    stage.`next stage` = nil
    #expect(heard == [3, -1])
    #expect(#keyPathName(\LitStage.`next stage`?.`main light`) == "next stage.main light")
    token.invalidate()
  }

  @Test("an override, and a generic class with a raw identifier of its own")
  func classes() {
    let stage = LitOpenStage()
    var heard: [Int] = []
    let token = stage.observe(\.`main light`, options: [.new]) { _, change in
      heard.append(change.newValue ?? -1)
    }
    stage.`main light` = 8
    #expect(heard == [5])
    #expect(stage.steps == ["will 0 8", "open"])
    let bill = `Play Bill`("a")
    var titles: [String] = []
    let other = bill.observe(\.`on top`, options: [.new]) { _, change in
      titles.append(change.newValue ?? "")
    }
    bill.`on top` = "b"
    #expect(titles == ["b"])
    token.invalidate()
    other.invalidate()
  }

  @Test("coding keys are those that the compiler makes")
  func coding() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(Poster()) == encoder.encode(PlainPoster()))
    // Several variables in one declaration may be ignored together.
    let keys = ["big letters", "width", "height", "paper", "ink"]
    #expect(Set(Poster.observableKeys.names) == Set(keys))
  }

  @Test("constants that one declaration declares are keys, each")
  func constants() {
    let pair = Pair()
    #expect(Set(Pair.observableKeys.names) == ["left", "right", "upper", "lower"])
    var heard: [String] = []
    let tokens = [
      pair.observe(\.left.`main light`) { _, _ in heard.append("left") },
      pair.observe(keyPath: "right.main light") { _, _ in heard.append("right") },
      pair.observe(\.upper.`main light`) { _, _ in heard.append("upper") },
    ]
    pair.right.`main light` = 1
    pair.left.`main light` = 2
    pair.upper.`main light` = 3
    #expect(heard == ["right", "left", "upper"])
    tokens.forEach { $0.invalidate() }
  }
}
#endif
