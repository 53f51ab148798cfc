import KVOFindings
import KVORules
import Testing

/// Source code, prose and lists of changes that quote a runtime, beside the same words from a runtime.
@Suite("Sources and reports") struct SourceTests {
  private static let removal =
    #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#
  private static let death =
    "An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it."

  @Test(
    "a literal, a comment beside code and words about a fault are not faults",
    arguments: [
      "    let text = \"\(removal.replacing("\"", with: "\\\""))\";\n    assert_eq!(code(text), 2);\n",
      "    XCTAssertEqual(error.reason, \"\(removal.replacing("\"", with: "\\\""))\")\n",
      "def test():\n    assert classify(\"\(death)\") == \"kvo\"\n",
      "    NSString *reason = @\"\(death)\";\n    [self report:reason];\n",
      "    [NSException raise:name\n                format:@\"Cannot remove an observer %@ for the key path \\\"%@\\\" \"\n                       @\"from %@ because it is not registered as an observer.\", a, b, c];\n",
      "let text = \"\"\"\n  \(death)\n  \"\"\"\n",
      "//\n//  Meter.m\n//\n\n/**\n \(death)\n */\n\n#import \"Meter.h\"\n",
      "- (void)dealloc\n{\n  // \(removal)\n  [self stop];\n}\n",
      "  [self stop]; // \(removal)\n",
      "      break ;\n      // It gives this error:\n      // \(removal)\n      // Never tried again.\n#if 0\n      name = [key stringByAppendingString:@\"Name\"] ;\n",
      "// \(removal)\n#endif\n", "// \(removal)\n#include <stdio.h>\n",
      #"- a removal: `Cannot remove an observer <...> for the key path "keypath" from <...> because it is not registered as an observer.`"#,
      #"It raises “Cannot remove an observer <A 0x…> for the key path "k" from <B 0x…> because it is not registered as an observer.”"#,
      "An instance xxx of class xxx was deallocated while key value observers were still registered with it.",
      #"It raises “<观察者>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.”"#,
      "### Fixed\n- Fix `Cannot remove an observer <GaugeView> for the key path \"level\"` exception\n",
      "An instance 0x1234 of class Meter\ncould not be archived by the observer.\n",
      "It raises \"...was sent to an object that is not KVC-compliant for the \"name\" property.\"",
      "sent to an object that is not KVC-compliant for the \"***\" property.",
      "An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\n\n[person addObserver:self forKeyPath:@\"name\" options:0 context:nil];\n",
      "If you make such a class, it says “KVO failed to allocate class pair for name NSKVONotifying_A, automatic key-value observing will not work for this class”.",
      "deinit {\n    /// Removes what is left.\n    /*\n     \(death)\n     */\n    dial.level = nil\n    dial = nil\n}\n",
      "    required init?(coder: NSCoder) {\n        // \(removal)\n        level = 1\n",
      "  // \(removal)\n  fileprivate let dial = Dial()\n",
      "  // \(removal)\n  dial.level = nil\n  total = 3\n}\nfunc stop() {\n",
      "class Dial(Base):\n\n    # 2013-11-23 08:56:28.994 Gauges[47:70] An instance 0x2b0 of\n    # class Meter was deallocated while key value observers were\n    # still registered with it.\n    #dial = None\n\n    level = Outlet()\n",
      "def stop(dial):\n    # \(removal)\n    dial.level = None\n",
      "# \(removal)\n# Seen twice.\nimport dial\n",
      "    Report {\n        reason: \"An instance 0x2b0 of class Meter was deallocated while key value observers \\\n                 were still registered with it.\"\n            .into(),\n",
      "    Report {\n        reason: \"\(death)\"\n            .to_owned(),\n        level: 1,\n    }\n",
      "        reason: \"An instance 0x2b0 of class Meter was deallocated while key value observers \\\n          were still registered with it.\",\n",
      "//\n//  NSKVONotifying_Meter.m\n//\n\n#import \"NSKVONotifying_Meter.h\"\ncrash\n",
    ]
  )
  func sources(text: String) { #expect(Reading.summary(text) == []) }

  @Test("a class formatted as code is quoted text, one after dots is part of a title")
  func titles() {
    let words = "was deallocated while key value observers were still registered with it"
    #expect(Reading.summary("```\n`Meter` \(words). Information was leaked.\n```\n") == [])
    #expect(Reading.summary("error log\n ..Meter \(words)...\n") == ["KVO006 Meter.? < ?"])
    #expect(Reading.summary("Meter \(words)") == ["KVO006 Meter.? < ?"])
  }

  @Test("the options of a registration are no object, though an address follows them")
  func options() {
    let text =
      Self.death
      + " Current observation info: <NSKeyValueObservationInfo 0x9> (\n<NSKeyValueObservance 0x8: Observer: 0x7f10, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x7f10, Property: 0x6>\n)\n"
    #expect(Reading.summary(text) == ["KVO006 Meter.level < ?"])
  }

  @Test(
    "the same words of a runtime are one fault, whatever precedes them",
    arguments: [
      "// \(removal)\n", "/*\n * \(removal)\n */\n", "> > \(removal)\n",
      "Thread 1: \"\(removal)\"\n",
      "Optional(\"\(removal)\")\n", "reason=\"\(removal)\" level=error\n",
      "[screen stop];\n```\n\(removal)\n```\n", "- \(removal)\n",
      "# \(removal)\n\nclass Meter: NSObject {\n", "# \(removal)\n# It was seen twice.\n",
      "    # \(removal)\n    # It was seen twice.\n", "    # \(removal)\n\nIt was seen twice.\n",
      "// \(removal)\nfinal words of the program\n", "// \(removal)\nlevel = 3\nThen it ended.\n",
      "reason: \"\(removal)\"\n", "reason: \"\(removal)\",\nlevel: \"error\"\n",
      "{\"level\": \"error\", \"reason\": \"\(removal)\"}\n",
      "The reason: \"\(removal) \\\nand so on\"\n",
      "2020-01-02 03:04:05 App[1:2] \(removal)\n[a removeObserver:self forKeyPath:@\"level\"];\n",
    ]
  )
  func reports(text: String) {
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
  }

  @Test("masked names stay, are recognized as masks, and do not make a signature")
  func masks() throws {
    func finding(_ observer: String, _ path: String) throws -> Finding {
      let text = Self.removal.replacing("GaugeView", with: observer).replacing("level", with: path)
      return try #require(
        Reading.findings("*** Terminating app due to uncaught exception: \(text)").first
      )
    }
    let hidden = try finding("xxx", "xxx")
    #expect(hidden.observer?.className == "xxx")
    #expect(hidden.keyPath == "xxx")
    #expect(hidden.crashFacts?.masked == ["observer", "keyPath"])
    #expect(hidden.message.contains(#"xxx#1 (masked) removed an observation of "xxx" (masked)"#))
    #expect(try finding("****", "***").signature == hidden.signature)
    #expect(try finding("GaugeView", "level").signature != hidden.signature)
    #expect(try finding("GaugeView", "level").crashFacts?.masked == [])
    for path in ["<private>", "<redacted>", "<hidden>"] {
      #expect(try finding("xxx", path).signature == hidden.signature, "\(path)")
    }
    // Properties and classes may have these names.
    for name in ["hidden", "private", "removed", "masked", "unknown", "Private", "Hidden"] {
      let named = try finding(name, name)
      #expect(named.crashFacts?.masked == [], "\(name)")
      #expect(try named.signature != finding("GaugeView", name).signature)
      #expect(try named.signature != finding(name, "level").signature)
    }
  }

  @Test("a name that a log shortens stays as it is")
  func shortened() {
    let text = Self.removal.replacing("<GaugeView", with: "<...GaugeRenderer")
    #expect(Reading.summary(text) == ["KVO002 Meter.level < ...GaugeRenderer"])
  }

  @Test(
    "a list of changes names a sentence as fixed, whatever the sentence begins with",
    arguments: [
      "- Fixed `An instance of class Meter was deallocated while key value observers were still registered with it`",
      "- Fixed crash `An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\n"
        + "Key path: level\nObserved object: <Meter>`",
      "- Fixed <Screen>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\n"
        + "Key path: level\nObserved object: <Meter>",
      "* Fix exception: Cannot remove an observer <GaugeView> for the key path \"level\" from <Meter> because it is "
        + "not registered as an observer.",
      "- Fixes the \"Cannot update for observer <GaugeView> for the key path \"unit.level\" from <Meter>, most likely "
        + "because the value for the key \"unit\" has changed without an appropriate KVO notification being sent\"",
      "* Fixed a crash: Cannot remove an observer <GaugeView 0x1> for the key path \"level\" from <Meter 0x2> because it "
        + "is not registered as an observer.",
    ]
  )
  func fixed(change: String) {
    #expect(Reading.summary("## 4.2.1\n" + change + "\n- Other things\n") == [])
    // Without the word it is what a program printed.
    let printed = change.drop { $0 != "`" && $0 != "C" && $0 != "A" && $0 != "<" }
    for words in ["", "Unfixed crash: ", "This is not fixed: ", "Suffix exception: "] {
      #expect(Reading.summary(words + printed).count == 1, "\(words)\(printed)")
    }
  }

  @Test("advice fits the report in hand")
  func advice() throws {
    func hint(_ observer: String, _ subject: String, _ path: String = "level") throws -> String {
      let text = Self.removal.replacing("GaugeView", with: observer)
        .replacing("Meter", with: subject).replacing("level", with: path)
      let finding = try #require(Reading.findings(text).first)
      return finding.message + " | " + finding.hint
    }
    #expect(try hint("GaugeView", "Meter").contains("find every `[meter removeObserver"))
    #expect(
      try hint("_NSKeyValueObservation", "Meter").contains("two threads that call invalidate()")
    )
    #expect(try hint("AVPlayerPropertyDispatcher", "AVPlayer").contains("guard against crashes"))
    #expect(
      try hint("GaugeView", "Meter", "MeterDidEndNotification")
        .contains("the name of a notification, not a key path")
    )
    let pair =
      "KVO failed to allocate class pair for name NSKVONotifying_Meter, automatic key-value observing will not work for this class"
    let notice = try #require(Reading.findings(pair).first)
    #expect(notice.message.hasPrefix("Automatic notification is off for Meter"))
    #expect(!CrashAdvice(notice).why.contains("cannot be observed"))
  }

  @Test("a silent change that raised on iOS 12 is not reported as silent there")
  func silentChange() throws {
    let fault = ReportedFault("", .silentChange, "Meter", ["unit.name"], "GaugeView")
    let finding = try #require(Reading.findings(Container.crash.text(fault)).first)
    #expect(finding.profile == .appleModern)
    #expect(CrashAdvice(finding).systems.hasPrefix("crashes on every iOS and macOS"))
  }

  @Test("a context is not wrong if another object is observed with the key path")
  func otherSubject() {
    let list =
      "<NSKeyValueObservationInfo 0x1> (\n<NSKeyValueObservance 0x2: Observer: 0x1a0, Key path: level, "
      + "Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x4>\n)"
    let text =
      "\(Self.removal)\n\(Self.death.replacing("0x2b0", with: "0x777")) Current observation info: \(list)\n"
    #expect(
      Reading.summary(text) == ["KVO002 Meter.level < GaugeView", "KVO006 Meter.level < GaugeView"]
    )
  }
}
