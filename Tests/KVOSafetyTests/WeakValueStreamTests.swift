import KVORecorder
import Testing

@testable import KVOSafety

/// An object on a path that refers to others weakly.
private final class Link: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("next", \Link.next, isWeak: true),
    ObservableKey("name", \Link.name)
  )
  weak var next: Link? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
  var name: String {
    willSet { willChangeValue(for: \.name) }
    didSet { didChangeValue(for: \.name) }
  }
  init(_ name: String, next: Link? = nil) {
    self.name = name
    self.next = next
  }
}

/// What is not observable itself.
private final class Note: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

private final class Reader: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("note", \Reader.note, isWeak: true)
  )
  weak var note: Note? {
    willSet { willChangeValue(for: \.note) }
    didSet { didChangeValue(for: \.note) }
  }
  init(_ note: Note?) { self.note = note }
}

private final class Room: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("reader", \Room.reader))
  var reader: Reader? {
    willSet { willChangeValue(for: \.reader) }
    didSet { didChangeValue(for: \.reader) }
  }
}

/// A reader whose setters notify as those of `@KeyValueObservable` do.
private final class FastReader: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let noteKey = ObservableKey("note", \FastReader.note, isWeak: true)
  static let observableKeys = ObservableKeyTable(noteKey)
  private weak var stored: Note?
  var note: Note? {
    get { stored }
    set {
      observationRegistrar.change(Self.noteKey, of: self, value: stored) { stored = newValue }
    }
  }
}

@Suite("The stream form with weakly referenced values")
struct WeakValueStreamTests {
  @Test("when a weak part of the path is deallocated nil comes, then the replacing object")
  func weakPart() async {
    let head = Link("head")
    var values: ObservedValues<String?>?
    do {
      let middle = Link("middle")
      head.next = middle
      values = head.values(for: \.next?.name)
      middle.name = "still there"
      withExtendedLifetime(middle) {}
    }
    let other = Link("other")
    head.next = other
    var iterator = values?.makeAsyncIterator()
    for expected in ["middle", "still there", nil, "other"] {
      #expect(await iterator?.next() == .some(.some(expected)))
    }
  }

  @Test("weak parts in the middle of a longer path are deallocated one after the other")
  func weakParts() async {
    let head = Link("1")
    var second: Link? = Link("2")
    let third = Link("3")
    head.next = second
    second?.next = third
    let values = head.values(for: \.next?.next?.name)
    second = nil
    third.name = "unheard"
    let replacement = Link("2b", next: third)
    head.next = replacement
    var iterator = values.makeAsyncIterator()
    for expected in ["3", nil, "unheard"] {
      #expect(await iterator.next() == .some(expected))
    }
  }

  @Test(
    "when the weak value of a property is deallocated nil comes, also for one that replaced it"
  )
  func weakEnd() async {
    var note: Note? = Note("first")
    let reader = Reader(note)
    var iterator = reader.values(for: \.note).makeAsyncIterator()
    #expect(await iterator.next().map { $0?.text } == .some("first"))
    note = nil
    #expect(await iterator.next().map { $0?.text } == .some(nil))
    note = Note("second")
    reader.note = note
    #expect(await iterator.next().map { $0?.text } == .some("second"))
    note = nil
    #expect(await iterator.next().map { $0?.text } == .some(nil))
  }

  @Test(
    "a weak value that was replaced is deallocated without a notification, and so is one whose stream has ended"
  )
  func weakEndReplaced() async {
    var old: Note? = Note("old")
    let reader = Reader(old)
    let newest = Note("newest")
    do {
      var iterator = reader.values(for: \.note).makeAsyncIterator()
      #expect(await iterator.next().map { $0?.text } == .some("old"))
      let new = Note("new")
      reader.note = new
      #expect(await iterator.next().map { $0?.text } == .some("new"))
      old = nil
      reader.note = newest
      #expect(await iterator.next().map { $0?.text } == .some("newest"))
      withExtendedLifetime((old, new)) {}
    }
    #expect(reader.storage.count == 0)
    #expect(ObjectTable.shared.knownRecord(of: newest)?.followers.isEmpty == true)
  }

  @Test(
    "when the weak value at the end of a path is deallocated nil comes, wherever the path leads by then"
  )
  func weakEndOfPath() async {
    var first: Note? = Note("first")
    var second: Note? = Note("second")
    let room = Room()
    room.reader = Reader(first)
    var iterator = room.values(for: \.reader?.note).makeAsyncIterator()
    #expect(await iterator.next().map { $0?.text } == .some("first"))
    room.reader = Reader(second)
    #expect(await iterator.next().map { $0?.text } == .some("second"))
    first = nil
    second = nil
    #expect(await iterator.next().map { $0?.text } == .some(nil))
    first = Note("third")
    room.reader?.note = first
    #expect(await iterator.next().map { $0?.text } == .some("third"))
    first = nil
    #expect(await iterator.next().map { $0?.text } == .some(nil))
  }

  @Test(
    "a weak value that a fast setter put in place of another is deallocated with a notification",
    arguments: [false, true]
  )
  func weakEndOfFastSetter(isRecorded: Bool) async {
    let memory = EventMemory()
    if isRecorded { Recorder.shared.attach(memory) }
    defer { if isRecorded { Recorder.shared.detach(memory) } }
    let reader = FastReader()
    // One that listens beside it, or alone.
    for isAlone in [true, false] {
      let token = isAlone ? nil : reader.observe(\.note) { _, _ in }
      var iterator = reader.values(for: \.note).makeAsyncIterator()
      #expect(await iterator.next().map { $0?.text } == .some(nil))
      for text in ["first", "second"] {
        var note: Note? = Note(text)
        reader.note = note
        #expect(await iterator.next().map { $0?.text } == .some(text))
        note = nil
        _ = note
        #expect(reader.note == nil)
        reader.note = nil
        #expect(await iterator.next().map { $0?.text } == .some(nil), "it was deallocated")
        #expect(await iterator.next().map { $0?.text } == .some(nil), "nil was set")
      }
      token?.invalidate()
    }
  }

  @Test("an object at the address of one that was deallocated, whose token is kept, is observed")
  func sameAddress() {
    let root = Link("root")
    var heard: [String] = []
    let token = root.observe(keyPath: "next.name", options: [.new]) { _, change in
      heard.append("\(change.newValue as Any)")
    }
    /// Puts an object on the path that is deallocated at once.
    func dropOne() -> (address: ObjectIdentifier, token: ObservationToken) {
      let link = Link("first")
      root.next = link
      return (ObjectIdentifier(link), link.observe(\.name) { _, _ in })
    }
    // An allocator that uses no address twice soon, as AddressSanitizer's, has nothing to show.
    for _ in 0..<100 {
      let dropped = dropOne()
      let second = Link("second")
      guard ObjectIdentifier(second) == dropped.address else { continue }
      root.next = second
      heard = []
      second.name = "renamed"
      #expect(heard == ["Optional(\"renamed\")"])
      withExtendedLifetime(dropped.token) {}
      break
    }
    token.invalidate()
  }
}
