import KVOAudit
import KVORules
import Testing

@Suite("explain") struct RuleExplanationTests {
  @Test("knows every rule by code and by slug", arguments: RuleCode.allCases)
  func everyRule(code: RuleCode) throws {
    let text = try RuleExplanation.text(of: code.rawValue)
    #expect(text.hasPrefix("\(code.rawValue) \(code.slug): "))
    #expect(try RuleExplanation.text(of: code.slug.uppercased()) == text)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("lists every rule")
  func list() {
    let lines = RuleExplanation.list.split(separator: "\n")
    #expect(lines.map { String($0.prefix(6)) } == RuleCode.allCases.map(\.rawValue))
  }

  @Test(
    "offers what a slip may have meant",
    arguments: [
      (
        "double-remov",
        "\"double-remov\" is no rule. Did you mean \"double-remove\"? `kvo-audit explain` lists all rules."
      ),
      (
        "KVO033",
        "\"KVO033\" is no rule. Did you mean \"KVO003\" or \"KVO013\" or \"KVO023\"? "
          + "`kvo-audit explain` lists all rules."
      ),
      ("xyzzyplugh", "\"xyzzyplugh\" is no rule. `kvo-audit explain` lists all rules."),
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
