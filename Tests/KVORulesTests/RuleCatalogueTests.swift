import KVORules
import KVOTrace
import Testing

@Suite("The catalogue")
struct RuleCatalogueTests {
  @Test("code, slug, severity and membership in the live set are the published ones")
  func published() {
    let lines = RuleCatalogue.entries.map {
      "\($0.code.rawValue) \($0.slug) \($0.severity.rawValue)\($0.isLive ? " live" : "")"
    }
    #expect(
      lines == [
        "KVO001 double-remove error live",
        "KVO002 remove-unregistered error live",
        "KVO003 remove-wrong-context error live",
        "KVO004 ambiguous-remove warning live",
        "KVO005 duplicate-registration warning live",
        "KVO006 observed-deinit-while-observed error live",
        "KVO007 observer-deinit-while-registered error live",
        "KVO008 delivery-to-dead error",
        "KVO009 delivery-after-remove error",
        "KVO010 remove-during-initial error live",
        "KVO011 registration-race error",
        "KVO012 unbalanced-change error live",
        "KVO013 prior-without-after error",
        "KVO014 mutation-without-notification error",
        "KVO015 deep-path-intermediate-death error",
        "KVO016 weak-link-silently-nil warning",
        "KVO017 unhandled-notification error live",
        "KVO018 context-collision warning live",
        "KVO019 observation-retain-cycle error live",
        "KVO020 self-observation note live",
        "KVO021 leaked-registration error",
        "KVO022 registration-growth warning",
        "KVO023 off-executor-delivery warning live",
        "KVO024 concurrent-change error",
        "KVO025 concurrent-removal error",
        "KVO026 callback-under-lock error live",
        "KVO027 re-entrant-change error live",
        "KVO028 dependency-cycle warning",
        "KVO029 uncompliant-path error live",
        "KVO030 class-changed-under-observation error",
        "KVO031 token-dropped warning",
        "KVO032 missed-delivery error",
        "KVO038 displaced-registration error",
        "KVO039 callback-raised warning",
        "KVO040 ignored-dependency warning",
        "KVO041 parked-consumer error",
        "KVO042 consumer-growth warning",
        "KVO043 continuation-dropped error live",
        "KVO044 continuation-resumed-twice error live",
      ]
    )
  }

  /// swift, apple-modern, apple-legacy, gnustep-1.28, gnustep-modern.
  private static let table: [(codes: [Int], cells: String)] = [
    ([1, 2], "contained crash crash none crash"),
    ([3], "contained crash crash crash crash"),
    ([4], "wrong wrong wrong unknown unknown"),
    ([5], "wrong wrong wrong wrong wrong"),
    ([6], "contained leak crash none unknown"),
    ([7], "contained leak crash crash crash"),
    ([8], "contained wrong crash crash unknown"),
    ([9], "contained wrong crash unknown none"),
    ([10], "contained crash crash unknown unknown"),
    ([11, 32], "wrong wrong wrong unknown unknown"),
    ([12, 13], "wrong wrong wrong unknown wrong"),
    ([14], "wrong wrong crash unknown wrong"),
    ([15], "contained wrong crash unknown unknown"),
    ([16, 18, 23, 31], "wrong wrong wrong wrong wrong"),
    ([17], "contained crash crash crash crash"),
    ([19, 21, 22], "leak leak leak leak leak"),
    ([20], "unknown unknown unknown unknown unknown"),
    ([24, 25], "contained crash crash unknown unknown"),
    ([26], "hang hang hang hang hang"),
    ([27], "crash crash crash crash crash"),
    ([28], "none none none unknown none"),
    ([29], "contained crash crash unknown crash"),
    ([30], "contained crash crash unknown unknown"),
    ([38, 40], "none none none wrong none"),
    ([39], "unknown unknown unknown wrong unknown"),
    ([41, 42], "leak leak leak leak leak"),
    ([43], "hang hang hang hang hang"),
    ([44], "contained crash crash crash crash"),
  ]

  @Test("every cell of the table of consequences")
  func consequences() {
    var seen = 0
    for (codes, cells) in Self.table {
      for number in codes {
        let name = "KVO" + String(repeating: "0", count: number < 10 ? 2 : 1) + String(number)
        let entry = RuleCatalogue.entry(named: name)
        let row = Profile.allCases.compactMap { entry?.consequences[$0].rawValue }
        #expect(row.joined(separator: " ") == cells, "\(name)")
        seen += 1
      }
    }
    #expect(seen == RuleCode.allCases.count)
  }

  @Test("a fault without a consequence drops one step")
  func severity() {
    let error = Verdict(.doubleRemove, subject: nil, evidence: [])
    #expect(RuleCatalogue.severity(of: error, under: .swift) == .error)
    #expect(RuleCatalogue.severity(of: error, under: .gnustep128) == .warning)
    let warning = Verdict(.dependencyCycle, subject: nil, evidence: [])
    #expect(RuleCatalogue.severity(of: warning, under: .gnustep128) == .warning)
    #expect(RuleCatalogue.severity(of: warning, under: .swift) == .note)
    let own = Verdict(.selfObservation, subject: nil, evidence: [], severity: .warning)
    #expect(RuleCatalogue.severity(of: own, under: .swift) == .warning)
  }

  @Test("entries are found by code and by slug, in any case")
  func lookUp() {
    #expect(RuleCatalogue.entry(named: "kvo001")?.code == .doubleRemove)
    #expect(RuleCatalogue.entry(named: "Double-Remove")?.code == .doubleRemove)
    #expect(RuleCatalogue.entry(named: "KVO033") == nil)
    #expect(RuleCatalogue.entry(named: "") == nil)
  }

  @Test("every rule explains what happened, why it matters and how to fix it, in its own words")
  func explanations() {
    var texts: Set<String> = []
    for entry in RuleCatalogue.entries {
      let explanation = entry.explanation
      for sentence in [explanation.happened, explanation.matters, explanation.fix] {
        #expect(sentence.hasSuffix("."), "\(entry.code)")
        #expect(texts.insert(sentence).inserted, "\(entry.code): \(sentence)")
      }
      #expect(explanation.before != explanation.after)
      #expect(!explanation.before.isEmpty && !explanation.after.isEmpty)
      #expect(!entry.title.hasSuffix(".") && !entry.hint.hasSuffix("."), "\(entry.code)")
      #expect(texts.insert(entry.title).inserted)
      #expect(texts.insert(entry.hint).inserted)
    }
  }
}
