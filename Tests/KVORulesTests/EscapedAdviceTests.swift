import KVOTrace
import Testing

@testable import KVORules

/// Lines of code that name what a log calls however it likes: they must compile.
@Suite("Escaped advice")
struct EscapedAdviceTests {
  @Test(
    "a text is the content of a literal of its language",
    arguments: [
      ("balance", "balance", "balance"), ("…", "…", "…"), ("größe", "größe", "größe"),
      (#"a"b"#, #"a\"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#, #"a\\b"#),
      (#"\(exit(1))"#, #"\\(exit(1))"#, #"\\(exit(1))"#),
      ("a\nb\tc\r", #"a\nb\tc\r"#, #"a\nb\tc\r"#),
      ("a`b", #"a\u{60}b"#, #"a\140b"#), ("a\u{1b}1", #"a\u{1b}1"#, #"a\0331"#),
      ("a\u{202e}b", #"a\u{202e}b"#, #"a\342\200\256b"#),
    ]
  )
  func literal(text: String, swift: String, objectiveC: String) {
    #expect(SourceLanguage.swift.literal(text) == swift)
    #expect(SourceLanguage.objectiveC.literal(text) == objectiveC)
  }

  private func hint(
    _ code: RuleCode,
    path: String,
    form: Registration.Form?,
    recorded: Profile,
    detail: Verdict.Detail = .none
  ) -> String {
    var names = TraceNames()
    var verdict = Verdict(
      code,
      subject: ObjectRef(id: ObjectID(1), className: names.id(of: "Account")),
      observer: ObjectRef(id: ObjectID(2), className: names.id(of: "Screen")),
      keyPath: names.id(of: path),
      evidence: [],
      detail: detail
    )
    verdict.form = form
    return FindingBuilder(names: names, profile: .swift, recorded: recorded)
      .finding(for: verdict).hint
  }

  @Test("a key path in code is a literal, or a name, or is left out", arguments: RuleCode.allCases)
  func lines(code: RuleCode) {
    let details: [Verdict.Detail] = [.none, .insideCallback, .change(.willWithoutDid)]
    for form in [nil] + Registration.Form.allCases.map(Optional.some) {
      for recorded in Profile.allCases {
        for detail in details {
          let advice = hint(
            code,
            path: "a\"b\\c",
            form: form,
            recorded: recorded,
            detail: detail
          )
          let parts = advice.split(separator: "`", omittingEmptySubsequences: false)
          #expect(!parts.count.isMultiple(of: 2), "\(advice)")
          for line in parts.enumerated().filter({ !$0.offset.isMultiple(of: 2) }).map(\.element) {
            let rest = line.replacing(#"a\"b\\c"#, with: "")
            #expect(!rest.contains("\\") || rest.contains(#"\.…"#), "\(advice)")
            #expect(rest.count { $0 == "\"" }.isMultiple(of: 2), "\(advice)")
          }
        }
      }
    }
  }

  @Test("a plain key path is as it was")
  func plain() {
    let swift = hint(.leakedRegistration, path: "balance", form: .classic, recorded: .swift)
    #expect(swift.contains(#"`account.removeObserver(self, forKeyPath: "balance")`"#), "\(swift)")
    let hop = hint(.offExecutorDelivery, path: "balance", form: .token, recorded: .swift)
    #expect(hop.contains(#"observeOnMainActor(\.balance)"#), "\(hop)")
    let other = hint(.offExecutorDelivery, path: "a b", form: .token, recorded: .swift)
    #expect(other.contains(#"observeOnMainActor(\.…)"#), "\(other)")
  }
}
