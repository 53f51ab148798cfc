#if Macros
import Testing

@Suite("Diagnostics for properties whose storage cannot move")
struct StorageDiagnosticTests {
  /// Expands a class that has `members`, and compares what is said, where, and the members after a
  /// fix-it.
  private func expect(
    _ message: String,
    at position: String,
    about members: String,
    inherits: String = "",
    fixIts: [String],
    applying applied: String? = nil,
    fixed: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) {
    let said = Said()
    let head = "@KeyValueObservable\nfinal class Account\(inherits) {\n"
    said.expand("\(head)\(members)\n}", applying: applied)
    #expect(said.messages == [message], sourceLocation: location)
    #expect(said.positions == [position], sourceLocation: location)
    #expect(said.fixIts == fixIts, sourceLocation: location)
    if let fixed { #expect(said.fixed == "\(head)\(fixed)\n}", sourceLocation: location) }
  }

  @Test("an opaque type is refused, and can be written as any")
  func opaqueType() {
    let message = """
      'value' has an opaque type, and the storage behind its accessors would have another one: write \
      the type itself or 'any Equatable', or leave the property out of observation with \
      '@KeyValue(.ignored)'
      """
    expect(
      message,
      at: "3:14",
      about: "  var value: some Equatable = 3",
      fixIts: ["write 'any Equatable'", "leave it out of observation"],
      applying: "write 'any Equatable'",
      fixed: "  var value: any Equatable = 3"
    )
    expect(
      message,
      at: "3:15",
      about: "  var value: [some Equatable] = [3]",
      fixIts: ["write 'any Equatable'", "leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "  @KeyValue(.ignored) var value: [some Equatable] = [3]"
    )
  }

  @Test("nonisolated(unsafe) is refused")
  func unsafeIsolation() {
    expect(
      """
      'count' is 'nonisolated(unsafe)', which a property with accessors cannot be: leave it out of \
      observation with '@KeyValue(.ignored)', or remove the modifier
      """,
      at: "3:11",
      about: "  private nonisolated(unsafe) var count = 0",
      fixIts: ["leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "  @KeyValue(.ignored) private nonisolated(unsafe) var count = 0"
    )
  }

  @Test("a global actor of the property alone is reported at its attribute")
  func ownIsolation() {
    expect(
      """
      'title' is isolated to '@MainActor', and its class is not as far as it shows: a key is read on any \
      thread. Write '@MainActor' at the class, or leave the property out of observation with \
      '@KeyValue(.ignored)'
      """,
      at: "3:3",
      about: "  @MainActor var title = \"\"",
      fixIts: ["leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "  @KeyValue(.ignored) @MainActor var title = \"\""
    )
  }

  @Test("a property that has the name of another one's storage is refused")
  func storageName() {
    expect(
      """
      '_level' is the name of the storage of 'level': rename it, or leave 'level' out of observation \
      with '@KeyValue(.ignored)'
      """,
      at: "4:7",
      about: "  var level = 0\n  let _level = 1",
      fixIts: ["leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "  @KeyValue(.ignored) var level = 0\n  let _level = 1"
    )
  }

  @Test("a method that has that name is refused as well, with and without parameters")
  func storageNameOfMethod() {
    for method in ["func _level() {}", "func _level(by step: Int) {}"] {
      expect(
        """
        '_level' is the name of the storage of 'level': rename it, or leave 'level' out of observation \
        with '@KeyValue(.ignored)'
        """,
        at: "4:8",
        about: "  var level = 0\n  \(method)",
        fixIts: ["leave it out of observation"]
      )
    }
  }

  @Test(
    "an override with a setter of its own, over a superclass without keys, is warned of",
    arguments: ["", "willChangeValue(for: \\.other); ", "willChangeValue(forKey: \"other\"); "]
  )
  func unnoticedOverride(announcement: String) {
    let accessors = "get { super.level } set { \(announcement)super.level = newValue }"
    let change = "willChangeValue(for: \\.level); defer { didChangeValue(for: \\.level) }; "
    expect(
      """
      'level' overrides a property of a superclass that does not notify, and its own setter does not \
      either: call 'willChangeValue(for:)' and 'didChangeValue(for:)' in it, or mark it \
      '@KeyValue(.manual)' or '@KeyValue(.ignored)'
      """,
      at: "3:16",
      about: "  override var level: Int { \(accessors) }",
      fixIts: ["notify in its setter", "leave it out of observation"],
      applying: "notify in its setter",
      fixed: """
          override var level: Int \
        { get { super.level } set { \(change) \(announcement)super.level = newValue } }
        """
    )
  }

  @Test(
    "there is no warning for an override that notifies, is declared as something else, or cannot be set",
    arguments: [
      "override var level: Int { didSet {} }",
      "override var level: Int { super.level + 1 }",
      "@KeyValue(.manual) override var level: Int { get { 1 } set {} }",
      "@KeyValue(.ignored) override var level: Int { get { 1 } set {} }",
      "var name = 1; @KeyValue(affectedBy: \"name\") override var level: Int { get { 1 } set {} }",
      "override var level: Int { get { 1 } set { willChangeValue(for: \\.level) } }",
      "override var level: Int { get { 1 } set { willChangeValue(forKey: \"level\") } }",
      "override var level: Int { get { 1 } set { self.willChangeValue(forKey: name) } }",
      "var level: Int { get { 1 } set {} }",
    ]
  )
  func noticedOverride(member: String) {
    let said = Said()
    said.expand(
      "@KeyValueObservable\nfinal class Account: Base {\n\(member)\n}",
      applying: nil
    )
    #expect(said.messages == [])
  }

  @Test("a class inside a function is refused, at the attribute")
  func localClass() {
    let said = Said()
    said.expand(
      "func test() {\n  @KeyValueObservable final class Account {\n    var balance = 0\n  }\n}",
      applying: "remove '@KeyValueObservable'"
    )
    #expect(
      said.messages == [
        """
        '@KeyValueObservable' cannot be applied to a class inside a function, which cannot be \
        extended: declare the class outside, or conform to 'KeyValueObservable' by hand
        """
      ]
    )
    #expect(said.positions == ["2:3"])
    #expect(said.fixIts == ["remove '@KeyValueObservable'"])
    #expect(said.fixed?.contains("\n  final class Account {") == true)
  }

  @Test("a coding key without a stored property is refused, if the compiler would synthesize")
  func codingKey() {
    let keys = "  enum CodingKeys: String, CodingKey { case level = \"l\", name }"
    expect(
      """
      'level' is stored as '_level', which is the name that a synthesized coding key must have: \
      write '_level = "l"', or leave 'CodingKeys' to the macro
      """,
      at: "5:45",
      about: "  var level = 0\n  let name = \"\"\n\(keys)",
      inherits: ": Codable",
      fixIts: ["write '_level = \"l\"'"],
      applying: "write '_level = \"l\"'",
      fixed: "  var level = 0\n  let name = \"\"\n"
        + "  enum CodingKeys: String, CodingKey { case _level = \"l\", name }"
    )
  }

  @Test("a closure with a capture list prevents the rewriting of an initializer, which is reported")
  func captureList() {
    let said = Said()
    said.expand(
      """
      @KeyValueObservable
      final class Account {
        var level = 0 { didSet {} }
        var name = ""
        init(name: String) {
          self.name = name
          level = 1
          run { [weak self] in self?.level = 2 }
        }
      }
      """,
      applying: "write '_level'"
    )
    #expect(
      said.messages == [
        """
        'level' is reached through its accessors here, which calls observers and overrides as plain \
        Swift does not in 'init' and 'deinit': write '_level', or move the closure that has a capture \
        list into a method
        """
      ]
    )
    #expect(said.positions == ["7:5"])
    #expect(said.fixed?.contains("    _level = 1\n    run { [weak self] in self?.level") == true)
  }

  @Test("the silent twins: code that compiles unchanged")
  func silent() {
    let said = Said()
    said.expand(
      """
      import Synchronization
      @KeyValueObservable
      class Account: Codable {
        let lock = Mutex(0)
        let count: Synchronization.Atomic<Int>
        let fixed: some Equatable = 3
        var computed: some Equatable { 3 }
        @KeyValue(.ignored) var opaque: some Equatable = 3
        @KeyValue(.ignored) nonisolated(unsafe) var shared = 0
        nonisolated(unsafe) static var all = 0
        @KeyValue(.ignored) @MainActor var shown = ""
        private var _level = 0
        var level: Int { get { _level } set { _level = newValue } }
        func _lock() {}
        var title = ""
        enum CodingKeys: String, CodingKey { case title }
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
      }
      enum Namespace {
        @KeyValueObservable final class Inner { var value = 0 }
        @MainActor @KeyValueObservable final class Page { @MainActor var title = "" }
      }
      """,
      applying: nil
    )
    #expect(said.messages == [])
  }
}
#endif
