import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// What a step alone keeps.
private final class Note: Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
}

/// An object on a path, whose setters keep nothing alive beyond the assignment.
private final class Step: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("link", \Step.link, isWeak: true),
    ObservableKey("next", \Step.next),
    ObservableKey("note", \Step.note, isWeak: true),
    ObservableKey("value", \Step.value)
  )
  weak var link: Step? {
    willSet { willChangeValue(for: \.link) }
    didSet { didChangeValue(for: \.link) }
  }
  var next: Step? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
  var value: Int {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  weak var note: Note? {
    willSet { willChangeValue(for: \.note) }
    didSet { didChangeValue(for: \.note) }
  }
  private let kept: Note
  init(_ value: Int, next: Step? = nil, link: Step? = nil) {
    kept = Note(value)
    note = kept
    self.value = value
    self.next = next
    self.link = link
  }
}

@Suite("A path whose weak middle is deallocated")
struct WeakPathDeathTests {
  @Test("leads to nothing after it, and to the object that replaces it")
  func observers() {
    let listener = Listener()
    let end = Step(1)
    let head = Step(0)
    var heard: [Int?] = []
    var middle: Step? = Step(0, next: end)
    head.link = middle
    let token = head.observe(\.link?.next?.value, options: .new) { _, change in
      heard.append(change.newValue.flatMap(\.self))
    }
    head.addObserver(listener, forKeyPath: "link.next.value", options: [.new, .prior])
    end.value = 2
    middle = nil
    end.value = 3
    #expect(heard == [2])
    #expect(listener.heard == ["link.next.value setting prior", "link.next.value setting to 2"])
    middle = Step(0, next: end)
    head.link = middle
    end.value = 4
    #expect(heard == [2, 3, 4])
    head.removeObserver(listener, forKeyPath: "link.next.value")
    token.invalidate()
    withExtendedLifetime(middle) {}
  }

  @Test("takes its references along, and only the weak link is reported", arguments: [false, true])
  func replay(isEndKept: Bool) {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let (head, end) = RecordingScope.$ofTask.withValue(ScopeID(ObjectTable.shared.nextNumber())) {
      let head = Step(0)
      var end: Step? = Step(1)
      var middle: Step? = Step(0, next: end)
      head.link = middle
      let token = head.observe(keyPath: "link.next.value") { _, _ in }
      if !isEndKept { end = nil }
      middle = nil
      head.value = 1
      end?.value = 5
      end = nil
      head.value = 2
      token.invalidate()
      return (head.storage.record.ref.id, end)
    }
    Recorder.shared.detach(memory)
    withExtendedLifetime(end) {}
    var codes: [RuleCode] = []
    var replay = OrderedReplay()
    func see(_ verdict: Verdict) {
      if verdict.subject?.id == head { codes.append(verdict.code) }
    }
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { see($0) }
    }
    replay.finish { see($0) }
    #expect(codes == [.weakLinkSilentlyNil])
  }

  @Test("a stream does not read a property in its assignment when an object is deallocated")
  func duringAssignment() async {
    let head = Step(0)
    func lead() {
      let linked = Step(7)
      head.next = Step(0, next: linked, link: linked)
    }
    lead()
    var values = head.values(for: \.next?.link?.value).makeAsyncIterator()
    var notes = head.values(for: \.next?.note).makeAsyncIterator()
    #expect(await values.next() == .some(7))
    #expect(await notes.next()??.number == 0)
    // All three are deallocated inside the assignment, which has exclusive access to the property.
    head.next = nil
    #expect(await values.next() == .some(nil))
    #expect(await notes.next().map { $0?.number } == .some(nil))
    lead()
    #expect(await values.next() == .some(7))
    #expect(await notes.next()??.number == 0)
  }
}
