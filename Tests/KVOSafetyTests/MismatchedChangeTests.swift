import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

/// An object whose own code announces its changes, and whose setters do not.
private final class Shelf: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("titles", \Shelf.titles),
    ObservableKey("years", \Shelf.years)
  )
  var titles = ["a", "b"]
  var years: Set<Int> = [1]
}

@Suite("Halves of a change of elements that differ")
struct MismatchedChangeTests {
  private let shelf = Shelf()
  private let first = RangeSet(0..<1)

  /// What an observer of the titles hears, and what is found; the replay of the same run must find it too.
  private func titles(
    _ options: ObservingOptions = [.old, .new],
    _ body: (Shelf) throws -> Void
  ) rethrows -> (heard: [String], found: [Verdict.Detail]) {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    var heard: [String] = []
    let found = try verdicts(about: shelf) {
      let token = shelf.observe(\.titles, options: options) { _, change in
        let ranges = change.indexes.map { " \($0.ranges.map { Array($0) })" } ?? ""
        heard.append(line("titles", change) + ranges)
      }
      try body(shelf)
      token.invalidate()
    }
    let subject = shelf.storage.record.ref.id
    var replayed: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { replayed.append($0) }
    }
    replay.finish { replayed.append($0) }
    #expect(replayed.filter { $0.subject?.id == subject }.map(\.detail) == found.map(\.detail))
    return (heard, found.map(\.detail))
  }

  @Test("another kind is reported, and ends the change as a setting")
  func kind() throws {
    let (heard, found) = try titles([.prior, .old, .new]) { shelf in
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      shelf.titles.insert("x", at: 0)
      shelf.didChange(.removal, valuesAt: first, for: \.titles)
    }
    #expect(found == [.change(.mismatched(begun: .insertion, ended: .removal))])
    #expect(
      heard == ["titles insertion prior [[0]]", #"titles setting to ["x", "a", "b"]"#]
    )
  }

  @Test("other indexes are reported; no removed elements are passed as the whole old value")
  func indexes() throws {
    let (heard, found) = try titles { shelf in
      try shelf.willChange(.removal, valuesAt: first, for: \.titles)
      shelf.titles.remove(at: 0)
      shelf.didChange(.removal, valuesAt: RangeSet(1..<2), for: \.titles)
    }
    #expect(found == [.change(.mismatched(begun: .removal, ended: .removal))])
    #expect(heard == [#"titles setting to ["b"]"#])
  }

  @Test("a change of elements does not end a setting without a report, nor the other way around")
  func settings() throws {
    let (heard, found) = try titles { shelf in
      shelf.willChangeValue(for: \.titles)
      shelf.titles.insert("x", at: 0)
      shelf.didChange(.insertion, valuesAt: first, for: \.titles)
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      shelf.titles.insert("y", at: 0)
      shelf.didChangeValue(for: \.titles)
    }
    #expect(
      found == [
        .change(.mismatched(begun: .setting, ended: .insertion)),
        .change(.mismatched(begun: .insertion, ended: .setting)),
      ]
    )
    #expect(
      heard == [
        #"titles setting from ["a", "b"] to ["x", "a", "b"]"#,
        #"titles setting to ["y", "x", "a", "b"]"#,
      ]
    )
  }

  @Test("nothing is left behind for the next pair")
  func nextPair() throws {
    let (heard, found) = try titles { shelf in
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      shelf.didChange(.insertion, valuesAt: RangeSet(2..<3), for: \.titles)
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      shelf.titles.insert("x", at: 0)
      shelf.didChange(.insertion, valuesAt: first, for: \.titles)
      shelf.willChangeValue(for: \.titles)
      shelf.titles = []
      shelf.didChangeValue(for: \.titles)
    }
    #expect(found.count == 1)
    #expect(
      heard == [
        #"titles setting to ["a", "b"]"#, #"titles insertion to ["x"] [[0]]"#,
        #"titles setting from ["x", "a", "b"] to []"#,
      ]
    )
  }

  @Test("a pair of settings inside a change of elements is part of it")
  func covered() throws {
    let (heard, found) = try titles { shelf in
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      shelf.willChangeValue(for: \.titles)
      shelf.titles.insert("x", at: 0)
      shelf.didChangeValue(for: \.titles)
      shelf.didChange(.insertion, valuesAt: first, for: \.titles)
    }
    #expect(found.isEmpty)
    #expect(heard == [#"titles insertion to ["x"] [[0]]"#])
  }

  @Test("changes of one key that cross are matched by their kinds and indexes")
  func crossing() throws {
    let (heard, found) = try titles { shelf in
      try shelf.willChange(.insertion, valuesAt: first, for: \.titles)
      try shelf.willChange(.removal, valuesAt: RangeSet(1..<2), for: \.titles)
      shelf.titles = ["x", "a"]
      shelf.didChange(.insertion, valuesAt: first, for: \.titles)
      shelf.didChange(.removal, valuesAt: RangeSet(1..<2), for: \.titles)
    }
    #expect(found == [.change(.outOfOrder)])
    #expect(
      heard == [#"titles insertion to ["x"] [[0]]"#, #"titles removal from ["b"] [[1]]"#]
    )
  }

  @Test("another mutation of a set is reported")
  func sets() {
    var heard: [String] = []
    let found = verdicts(about: shelf) {
      let token = shelf.observe(\.years, options: [.old, .new]) { heard.append(line("years", $1)) }
      shelf.willChangeValue(for: \.years, withSetMutation: .minus, using: [1])
      shelf.years = []
      shelf.didChangeValue(for: \.years, withSetMutation: .intersect, using: [1])
      shelf.willChangeValue(for: \.years, withSetMutation: .union, using: [2])
      shelf.years = [2]
      shelf.didChangeValue(for: \.years, withSetMutation: .union, using: [2])
      token.invalidate()
    }
    #expect(found.map(\.detail) == [.change(.mismatched(begun: .removal, ended: .removal))])
    #expect(heard == ["years setting to []", "years insertion to [2]"])
  }
}
