import Testing

/// Code of several languages that quotes a runtime, and prose about what it raises.
@Suite("Quoting code") struct QuotingCodeTests {
  private static let removal =
    #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#
  private static let death =
    "An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it."

  @Test(
    "comments after code, around code and above it are no faults",
    arguments: [
      "int x = 1; // \(removal)\n", "let x = 1 // \(removal)\n",
      "int x = 1; // \(removal)\nint y = 2;\n",
      "func stop() {\n    meter.removeObserver(self, forKeyPath: \"level\") // \(removal)\n}\n",
      "// \(removal)\nmeter.removeObserver(self, forKeyPath: \"level\")\n",
      "```swift\n// Crash: \(removal)\nmeter.removeObserver(self, forKeyPath: \"level\")\n```\n",
      "```swift\nmeter.removeObserver(self, forKeyPath: \"level\")\n// \(removal)\n```\n",
      "int f(void) {\n  return 1; /* a\n     \(removal)\n     b */\n}\n",
      "- (void)a {\n\tstop ;\n/* log:\n\(removal)\n */\n\tnil ;\n}\n",
      "#pragma mark - \(removal)\n- (void)stop {}\n",
      "for key in keys {\n  // FIXME: \(removal)\n  if target is Meter {\n",
      "case \"Gauges.Meter\": // *** Terminating app due to uncaught exception 'A', reason: '\(death)\n",
      "default: // \(removal)\n",
    ]
  )
  func comments(text: String) { #expect(Reading.summary(text) == []) }

  @Test(
    "comments that tools of version control and search show are no faults",
    arguments: [
      "@@ -10,6 +10,8 @@\n     NSString *name = self.name;\n+    // \(removal)\n+\n     self.observing = NO;\n",
      "1a2b3c4d (Jane Doe 2016-09-03 10:11:12 +0100 11) {\n"
        + "4d5e6f7a (John Roe 2017-09-03 10:11:12 +0100 12) // \(removal)\n"
        + "4d5e6f7a (John Roe 2017-09-03 10:11:12 +0100 13)   [meter removeObserver:self forKeyPath:@\"level\"];\n",
      "^1a2b3c4 Sources/Gauge.swift (Jane Doe 2016-09-03 10:11:12 +0100  10) deinit {\n"
        + "^1a2b3c4 Sources/Gauge.swift (Jane Doe 2016-09-03 10:11:12 +0100  11)   // \(removal)\n",
      "Sources/Gauge.m-10-{\nSources/Gauge.m:11:// \(removal)\nSources/Gauge.m-12-  [meter stop];\n",
      "Sources/Gauge.m:11:  // \(removal)\n",
    ]
  )
  func shown(text: String) { #expect(Reading.summary(text) == []) }

  private static let quoted = removal.replacing("\"", with: "\\\"")

  @Test(
    "an entry of a printed dictionary is not a literal",
    arguments: [
      "[ERROR] :  Script Error {\n[ERROR] :      column = 24;\n[ERROR] :      line = 119;\n"
        + "[ERROR] :      message = \"\(quoted)\";\n[ERROR] :  }\n",
      "2021-03-04 10:11:12.345 Gauges[12:34] userInfo = {\n    code = 4;\n    details =     {\n"
        + "        level = 2;\n    };\n    reason = \"\(quoted)\";\n}\n",
      "error: {\n    reason = \"\(quoted)\";\n}\n",
    ]
  )
  func entries(text: String) {
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
  }

  @Test(
    "an assignment in a block of code is not an entry of a dictionary",
    arguments: [
      "try {\n    line = 2;\n    message = \"\(quoted)\";\n}\n",
      "void fail(int line) {\n    line = 2;\n    message = \"\(quoted)\";\n}\n",
      "namespace gauges {\n    message = \"\(quoted)\";\n}\n",
      "const fail = () => {\n    message = \"\(quoted)\";\n}\n",
      "line = 2;\nmessage = \"\(quoted)\";\n",
    ]
  )
  func assignments(text: String) { #expect(Reading.summary(text) == []) }

  @Test(
    "literals of a list that code declares, passes or returns are no faults",
    arguments: [
      "return @[\n  @\"Something else\",\n  @\"\(removal)\",\n];\n",
      "KNOWN = {\n    \"kvo\": '\(removal)',\n    \"other\": 'x',\n}\n",
      "let samples = [\n  (\n    \"\(removal)\",\n    \"KVO002\"\n  ),\n]\n",
      "const known = [\n  { re: /x/, text: '\(removal)' },\n];\n",
      "const MSGS: &[&str] = &[\n    \"one\",\n    r#\"\(removal)\"#,\n];\n",
      "var known = []string{\n\t\"one\",\n\t`\(removal)`,\n}\n",
      "static const char *kMessages[] = {\n  \"one\",\n  \"\(removal)\",\n  NULL\n};\n",
      "Service.start({\n  ignored: [\n    '\(removal)',\n  ],\n});\n",
      "check(\n  message,\n  \"\(removal)\",\n)\n",
    ]
  )
  func lists(text: String) { #expect(Reading.summary(text) == []) }

  @Test(
    "literals in other marks, in calls and in conditions are no faults",
    arguments: [
      "const msg = '\(removal)';\n", "const msg = `\(removal)`;\n", "print('\(removal)')\n",
      "assert '\(removal)' in out\n", "throw new Exception(\"\(death)\");\n",
      "RE = re.compile(r'\(removal)')\n", "grep -q '\(removal)' log.txt && exit 1\n",
      "expect(log).toContain('\(removal)');\n", "MSG = '\(removal)'\nassert MSG in out\n",
      "INSERT INTO crashes (reason) VALUES ('\(removal)');\n", "echo \"\(removal)\"\n",
      "text = <<~EOS\n  \(removal)\nEOS\nexpect(parse(text)).to eq(1)\n",
      "val msg = \"\"\"\(removal)\"\"\"\ncheck(msg)\n",
      "def f():\n    \"\"\"Handles\n\n    \(removal)\n    \"\"\"\n    return 1\n",
    ]
  )
  func literals(text: String) { #expect(Reading.summary(text) == []) }

  @Test(
    "words about what would be raised, or no longer is, are no faults",
    arguments: [
      "KVO will throw: \(removal)\n", "This will crash with \"\(removal)\".\n",
      "It would raise an exception: \(removal)\n",
      "With this change, \"\(removal)\" is no longer raised.\n",
      "\"\(removal)\" is no longer thrown.\n",
      "- iOS: no longer crashes with \"\(removal)\" when it is stopped twice\n",
      "Then the log does not contain \"\(removal)\"\n",
      "- Throws: `NSRangeException` with \"\(removal)\".\n",
      "## 1.2.3\n\n### Bug fixes\n\n- \(removal) (#123)\n- Added a dial\n",
    ]
  )
  func forecasts(text: String) { #expect(Reading.summary(text) == []) }

  private static let anonymous =
    #"Cannot remove an observer <GaugeView> for the key path "level" from <Meter> because it is not registered as an observer."#

  @Test(
    "what a reader will get is no fault without an object",
    arguments: ["you will get: ", "you'll see \"", "you would get an exception: ", "you may see "]
  )
  func promises(words: String) {
    #expect(Reading.summary("If it is removed twice, \(words)\(Self.anonymous)\n") == [])
    // Someone got these.
    let real = Reading.summary("If it is removed twice, \(words)\(Self.removal)\n")
    #expect(real == ["KVO002 Meter.level < GaugeView"])
    #expect(Reading.summary("I get: \(Self.anonymous)\n") == ["KVO002 Meter.level < GaugeView"])
  }

  @Test(
    "the same words are a fault as a program prints them, quoted, after comment markers and in prose",
    arguments: [
      "2020-01-02 03:04:05 App[1:2] '\(removal)'\n", "reason: '\(removal)'\n",
      "reason='\(removal)'\n",
      "It crashes with `\(removal)`\n", "It crashed with '\(removal)'\n",
      "error = \"\(removal)\"\n",
      "// *** Terminating app due to uncaught exception 'NSRangeException', reason: '\(removal)'\n// 0   App   0x1004d1388 -[Screen stop] + 16\n",
      "see http://example.com/a // \(removal)\n", "ls /Users/* /tmp\n\(removal)\n",
      "It will crash: *** Terminating app due to uncaught exception 'NSRangeException', reason: '\(removal)'\n",
      "## Bug fixes\n\nnone\n\n*** Terminating app due to uncaught exception 'NSRangeException', reason: '\(removal)' (#1)\n",
      "Exception(\"\(removal)\")\n", "<< \(removal)\n",
      "/src/GaugeTests.m:33: error: -[GaugeTests testStop] : failed: caught \"NSRangeException\", \"\(removal)\"\n",
      "GaugeSpec.m:12: error: -[GaugeSpec stop] : expected to not raise exception, got NSException "
        + "{ name=NSRangeException; reason='\(removal)'; userInfo=(null) }\n",
      "It throws: \"\(removal)\"\n", "The app no longer starts: \(removal)\n",
      "errors = (\n  \"x\",\n  y\n);\n\"\(removal)\"\n", "{\n  reasons: [\n    '\(removal)',\n",
      "with it: \(removal)\nThe dial no longer moves.\n",
    ]
  )
  func reports(text: String) {
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
  }
}
