import KVOReports
import KVORules
import Testing

@Suite("explain") struct RuleExplanationTests {
  @Test("finds every rule by code and by slug", arguments: RuleCode.allCases)
  func everyRule(code: RuleCode) throws {
    let text = try RuleExplanation.text(of: code.rawValue)
    #expect(text.hasPrefix("\(code.rawValue) \(code.slug): "))
    #expect(try RuleExplanation.text(of: code.slug.uppercased()) == text)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("has the severity of reports, which is lower for a fault without consequence")
  func severities() throws {
    func heading(_ code: String) throws -> Substring? {
      try RuleExplanation.text(of: code).split(separator: "\n").dropFirst().first
    }
    // The report of this rule's firing log says "note".
    #expect(try heading("KVO028")?.hasPrefix("note (warning on gnustep-1.28), judged ") == true)
    #expect(try heading("KVO012")?.hasPrefix("error, judged ") == true)
    let line = RuleExplanation.list.split(separator: "\n").first { $0.hasPrefix("KVO028") }
    #expect(line?.contains(" note ") == true)
  }

  @Test("lists every rule")
  func list() {
    let lines = RuleExplanation.list.split(separator: "\n")
    #expect(lines.map { String($0.prefix(6)) } == RuleCode.allCases.map(\.rawValue))
  }

  @Test(
    "suggests the probable intention of a misspelling",
    arguments: [
      (
        "double-remov",
        "\"double-remov\" is not a rule. Did you mean \"double-remove\"? `kvo-audit explain` lists all rules."
      ),
      (
        "KVO033",
        "\"KVO033\" is not a rule. Did you mean \"KVO003\" or \"KVO013\" or \"KVO023\"? "
          + "`kvo-audit explain` lists all rules."
      ),
      ("xyzzyplugh", "\"xyzzyplugh\" is not a rule. `kvo-audit explain` lists all rules."),
    ]
  )
  func unknown(name: String, message: String) {
    do throws(RuleExplanation.UnknownRule) {
      let text = try RuleExplanation.text(of: name)
      Issue.record("\(name) gave: \(text)")
    } catch {
      #expect(error.message == message)
    }
  }
}
