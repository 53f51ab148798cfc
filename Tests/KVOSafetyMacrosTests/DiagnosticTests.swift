#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Diagnostics for declarations that cannot be observed")
struct DiagnosticTests {
  @Test("a struct is refused, and can be made a class")
  func structure() {
    expectExpansion(
      of: """
        @KeyValueObservable
        struct Account {
          var balance = 0.0
        }
        """,
      as: """
        struct Account {
          var balance = 0.0
        }
        """,
      diagnostics: [
        DiagnosticSpec(
          message: """
            '@KeyValueObservable' cannot be applied to a struct: a struct has no identity, so an \
            observer of one copy hears nothing of others
            """,
          line: 1,
          column: 1,
          fixIts: [
            FixItSpec(message: "make it a final class"),
            FixItSpec(message: "remove '@KeyValueObservable'"),
          ]
        )
      ],
      applying: ["make it a final class"],
      fixed: """
        @KeyValueObservable
        final class Account {
          var balance = 0.0
        }
        """
    )
  }

  @Test(
    "enums, actors, protocols and extensions are refused, each for its reason",
    arguments: [
      (
        "enum Side", "an enum",
        "an enum has no stored properties and no identity that could be observed"
      ),
      (
        "actor Bank", "an actor",
        """
        observers are called by the statement that makes the change, and read the property there, \
        which nobody outside may do with an actor's; observe a '@MainActor' class instead
        """
      ),
      (
        "protocol Named", "a protocol",
        "it has no stored properties; apply it to the classes that conform"
      ),
      (
        "extension Account", "an extension",
        "it can add no stored properties; apply it to the class itself"
      ),
    ]
  )
  func kinds(declaration: String, kind: String, why: String) {
    expectExpansion(
      of: "@KeyValueObservable \(declaration) {\n}",
      as: "\(declaration) {\n}",
      diagnostics: [
        DiagnosticSpec(
          message: "'@KeyValueObservable' cannot be applied to \(kind): \(why)",
          line: 1,
          column: 1,
          fixIts: [FixItSpec(message: "remove '@KeyValueObservable'")]
        )
      ],
      fixed: "\(declaration) {\n}"
    )
  }

  /// Expands a class whose only fault is in `member`, and compares what is said, and the class after
  /// the fix-it.
  private func expect(
    _ message: String,
    about member: String,
    line: Int = 3,
    column: Int,
    fixIts: [String] = [],
    applying applied: String? = nil,
    fixed: String? = nil,
    other: String = "",
    location: SourceLocation = #_sourceLocation
  ) {
    let said = Said()
    said.expand(
      "@KeyValueObservable\nfinal class Account {\n  \(member)\n\(other)}",
      applying: applied
    )
    #expect(said.messages == [message], sourceLocation: location)
    #expect(said.positions == ["\(line):\(column)"], sourceLocation: location)
    #expect(said.fixIts == fixIts, sourceLocation: location)
    if let fixed {
      let expected = "@KeyValueObservable\nfinal class Account {\n  \(fixed)\n\(other)}"
      #expect(said.fixed == expected, sourceLocation: location)
    }
  }

  @Test("several properties in one declaration can be declared one by one")
  func severalProperties() {
    expect(
      "a declaration of several properties cannot be observed: give each its own",
      about: "private var width = 1, height = 2",
      column: 3,
      fixIts: ["declare them one by one"],
      applying: "declare them one by one",
      fixed: "private var width = 1\n  private var height = 2"
    )
  }

  @Test("each of several properties gets the type that they share")
  func sharedType() {
    expect(
      "a declaration of several properties cannot be observed: give each its own",
      about: "var width, height: Int",
      column: 3,
      fixIts: ["declare them one by one"],
      applying: "declare them one by one",
      fixed: "var width: Int\n  var height: Int"
    )
  }

  @Test("a tuple of properties is refused")
  func tuple() {
    expect(
      "properties that are declared as a tuple cannot be observed: give each its own 'var'",
      about: "var (width, height) = (1, 2)",
      column: 3
    )
  }

  @Test("a property inside #if is not a key, which is reported unless it is ignored")
  func insideIfConfig() {
    expect(
      """
      'count' stands inside '#if' and is not a key: observing it is refused (KVO029). Declare it \
      outside, or mark it '@KeyValue(.ignored)'
      """,
      about: """
        #if DEBUG
          var count = 0
          @KeyValue(.ignored) var cache = 0
          static var shared = 0
          #endif
        """,
      line: 4,
      column: 7
    )
  }

  @Test("so is each property inside #if, at any depth and however it is declared")
  func deepInsideIfConfig() {
    let said = Said()
    said.expand(
      """
      @KeyValueObservable
      final class Account {
        #if DEBUG
          #if os(Linux)
            var depth = 1
          #endif
          var (width, height) = (1, 2)
          let red = 1, blue = 2
          @KeyValue(.ignored) var x = 1, y = 2
        #endif
      }
      """,
      applying: nil
    )
    #expect(said.positions == ["5:11", "7:10", "7:17", "8:9", "8:18"])
    #expect(said.messages.allSatisfy { $0.contains("stands inside '#if'") })
  }

  @Test("a name that no key path can have is refused")
  func unusableName() {
    expect(
      """
      'version 1.2' has a dot in its name, which separates the keys of a key path: rename it, or \
      leave it out of observation with '@KeyValue(.ignored)'
      """,
      about: "var `version 1.2` = 0",
      column: 7,
      fixIts: ["leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "@KeyValue(.ignored) var `version 1.2` = 0"
    )
    expect(
      """
      'Type' has a name that Swift does not allow in a key path: rename it, or leave it out of \
      observation with '@KeyValue(.ignored)'
      """,
      about: "let `Type` = 0",
      column: 7,
      fixIts: ["leave it out of observation"]
    )
  }

  @Test("a lazy property with observers of its own can notify in them")
  func lazyWithObservers() {
    expect(
      """
      'total' is lazy and has property observers of its own, beside which no others can be added: \
      call 'willChangeValue(for:)' and 'didChangeValue(for:)' in them, or mark it \
      '@KeyValue(.ignored)'
      """,
      about: "lazy var total = 1 { didSet { print(oldValue) } }",
      column: 12,
      fixIts: ["notify in its observers", "leave it out of observation"],
      applying: "notify in its observers",
      fixed: """
        lazy var total = 1 { willSet { willChangeValue(for: \\.total) }
        didSet { didChangeValue(for: \\.total); print(oldValue) } }
        """
    )
  }

  @Test("also if its observers announce another key")
  func lazyWithOtherAnnouncement() {
    expect(
      """
      'total' is lazy and has property observers of its own, beside which no others can be added: \
      call 'willChangeValue(for:)' and 'didChangeValue(for:)' in them, or mark it \
      '@KeyValue(.ignored)'
      """,
      about: "lazy var total = 1 { willSet { willChangeValue(for: \\.sum) } }",
      column: 12,
      fixIts: ["notify in its observers", "leave it out of observation"]
    )
  }

  @Test("a wrapped property with observers of its own can be left out")
  func wrappedWithObservers() {
    expect(
      """
      'level' is wrapped and has property observers of its own, beside which no others can be added: \
      call 'willChangeValue(for:)' and 'didChangeValue(for:)' in them, or mark it \
      '@KeyValue(.ignored)'
      """,
      about: "@Clamped var level = 1 { willSet { print(newValue) } }",
      column: 16,
      fixIts: ["notify in its observers", "leave it out of observation"],
      applying: "leave it out of observation",
      fixed: "@KeyValue(.ignored) @Clamped var level = 1 { willSet { print(newValue) } }"
    )
  }

  @Test("properties that are neither plainly stored nor notified by the macro cannot be compared")
  func cannotCompare() {
    expect(
      """
      'total' cannot be notified only when it differs: that is for stored properties that are \
      neither 'lazy' nor wrapped
      """,
      about: "@KeyValue(.whenDifferent) lazy var total = 1",
      column: 3
    )
  }

  @Test("a dependency on a key that is not there is refused, with the name that was meant")
  func unknownKey() {
    expect(
      "'Account' has no key 'balanec'; did you mean 'balance'?",
      about: #"@KeyValue(affectedBy: "balanec.cents") var text: String { "" }"#,
      column: 25,
      fixIts: [#"write "balance.cents""#],
      applying: #"write "balance.cents""#,
      fixed: #"@KeyValue(affectedBy: "balance.cents") var text: String { "" }"#,
      other: "  let balance = 0\n"
    )
    expect(
      "'Account' has no key 'interest'",
      about: #"@KeyValue(affectedBy: "interest") var text: String { "" }"#,
      column: 25,
      other: "  let balance = 0\n"
    )
  }

  @Test("a dependency through a collection, on itself, or with an empty part is refused")
  func impossibleDependencies() {
    expect(
      """
      the key path "entries.amount" goes through 'entries', a collection: only what leads to one \
      object can be followed. Depend on "entries" itself, or notify by hand
      """,
      about: #"@KeyValue(affectedBy: "entries.amount") var sum: Int { 0 }"#,
      column: 25,
      other: "  let entries: [Entry]\n"
    )
    expect(
      "'sum' cannot be affected by itself",
      about: #"@KeyValue(affectedBy: "sum") var sum: Int { 0 }"#,
      column: 25
    )
    expect(
      #"the key path "owner..name" has an empty part: it is made of names with dots between"#,
      about: #"@KeyValue(affectedBy: "owner..name") var text: String { "" }"#,
      column: 25
    )
  }

  @Test(
    "'@KeyValue' without an effect is refused, and can be removed",
    arguments: [
      (
        "@KeyValue(.manual) static var count = 0",
        "a property of the type itself cannot be observed"
      ),
      ("@KeyValue(.manual) func count() {}", "it belongs to a property"),
      ("@KeyValue(.manual) let count = 0", "a 'let' never changes"),
    ]
  )
  func misplaced(member: String, why: String) {
    expect(
      "'@KeyValue' says nothing here: \(why)",
      about: member,
      column: 3,
      fixIts: ["remove '@KeyValue(.manual)'"],
      applying: "remove '@KeyValue(.manual)'",
      fixed: String(member.dropFirst("@KeyValue(.manual) ".count))
    )
  }

  @Test("'@KeyValue' in a class that is not observable is refused")
  func notObservable() {
    let said = Said()
    said.expand("class Account {\n  @KeyValue(.manual) var count = 0\n}", applying: nil)
    #expect(
      said.messages == [
        "'@KeyValue' says nothing here: it belongs in a class that is '@KeyValueObservable'"
      ]
    )
  }

  @Test("the silent twins: declarations that are observed unchanged")
  func silent() {
    let said = Said()
    said.expand(
      """
      @KeyValueObservable
      final class Account {
        var balance = 0
        let (a, b) = (1, 2)
        let c = 1, d = 2
        static var e = 1, f = 2
        lazy var total = 1 {
          willSet { willChangeValue(for: \\.total) }
          didSet { didChangeValue(for: \\.total) }
        }
        @KeyValue(.ignored) @Clamped var level = 1 { didSet {} }
        @KeyValue(.ignored) let constant = 1
        @KeyValue(.ignored) var `version 1.2` = 0
        var `my key` = 0
        var entries: [Int] = []
        var entry: Entry
        @KeyValue(affectedBy: "entries", "entry.amount") var text: String { "" }
      }
      """,
      applying: nil
    )
    #expect(said.messages.isEmpty)
  }

  @Test("a key path that is not a literal, or goes over more than properties, has no name")
  func names() {
    for (argument, message) in [
      (
        "path",
        "'#keyPathName' takes a key path that is written out, such as '\\Account.balance'"
      ),
      (
        #"\Account.entries[0].amount"#,
        "a key path by name is made of properties: '[0]' is not one"
      ),
      (#"\Account.self"#, "a key path by name is made of properties: '.self' is not one"),
      (#"\Account.`a.b`"#, "a key path by name is made of properties: '.`a.b`' is not one"),
    ] {
      let said = Said()
      said.expand("let name = #keyPathName(\(argument))", applying: nil)
      #expect(said.messages == [message])
    }
  }
}
#endif
