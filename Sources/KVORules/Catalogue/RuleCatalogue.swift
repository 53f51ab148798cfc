/// What is known of each rule beside its machine: names, severities, consequences and texts.
package enum RuleCatalogue {
  /// One rule.
  package struct Entry: Sendable {
    package var code: RuleCode
    /// The name of the rule in words: a public contract, as the code is.
    package var slug: String
    /// What happened, as the heading of a report says it, in lower case and without a full stop.
    package var title: String
    package var severity: Severity
    /// Whether the layer judges it while the program runs.
    package var isLive: Bool
    package var consequences: Consequences
    /// What to do, with the line to add; `{subject}` (as a variable), `{Subject}` and `{observer}`
    /// (as types), `{SubjectClass}` (a type, or words for it), `{keyPath}` and `{context}` stand for the names
    /// of the case at hand.
    package var hint: String
    /// The same where nobody observes but a token's closure, if that is another thing to do.
    package var tokenHint: String?
    /// The same for a class that another Foundation observes, where it is not written as for this layer.
    package var foundationHint: String?
    package var explanation: Explanation
  }

  /// What becomes of a program under each profile.
  package struct Consequences: Hashable, Sendable {
    package var swift: Consequence
    package var appleModern: Consequence
    package var appleLegacy: Consequence
    package var gnustep128: Consequence
    package var gnustepModern: Consequence

    init(
      _ swift: Consequence,
      _ appleModern: Consequence,
      _ appleLegacy: Consequence,
      _ gnustep128: Consequence,
      _ gnustepModern: Consequence
    ) {
      self.swift = swift
      self.appleModern = appleModern
      self.appleLegacy = appleLegacy
      self.gnustep128 = gnustep128
      self.gnustepModern = gnustepModern
    }

    static func everywhere(_ one: Consequence) -> Consequences {
      Consequences(one, one, one, one, one)
    }

    package subscript(profile: Profile) -> Consequence {
      switch profile {
      case .swift: swift
      case .appleModern: appleModern
      case .appleLegacy: appleLegacy
      case .gnustep128: gnustep128
      case .gnustepModern: gnustepModern
      }
    }
  }

  /// The text of `kvo-audit explain`.
  package struct Explanation: Hashable, Sendable {
    package var happened: String
    package var matters: String
    package var fix: String
    package var before: String
    package var after: String
  }

  /// All rules, in the order of their codes.
  package static let entries: [Entry] = {
    let all = removals + registrations + lifetimes + changes + deliveries + paths + native
    return all.sorted { $0.code < $1.code }
  }()

  private static let byCode = Dictionary(uniqueKeysWithValues: entries.map { ($0.code, $0) })
  private static let bySlug = Dictionary(uniqueKeysWithValues: entries.map { ($0.slug, $0) })

  /// The entry of `code`; each has one, which a test checks.
  package static func entry(_ code: RuleCode) -> Entry {
    guard let entry = byCode[code] else { preconditionFailure("no entry for \(code.rawValue)") }
    return entry
  }

  /// The entry that `name` names: a code (`KVO001`, in any case) or a slug (`double-remove`).
  package static func entry(named name: String) -> Entry? {
    if let code = RuleCode(rawValue: name.uppercased()) { return entry(code) }
    return bySlug[name.lowercased()]
  }

  /// The rules that the layer judges while the program runs.
  package static let live: Set<RuleCode> = Set(entries.filter(\.isLive).map(\.code))

  /// What becomes of a program with a fault of `code` under `profile`.
  package static func consequence(of code: RuleCode, under profile: Profile) -> Consequence {
    entry(code).consequences[profile]
  }

  /// What becomes of a program with the fault that `verdict` is of, under `profile`.
  ///
  /// A token or a controller that outlives what it observes is harmless but before iOS 11 and macOS 10.13,
  /// where the deallocation of an observed object raises an exception whoever observes it. GNUstep 1.28 has no
  /// removal under a context: a program whose log was recorded there, and which made one and went on, has
  /// brought its own.
  package static func consequence(
    of verdict: Verdict,
    under profile: Profile,
    recordedOn recorded: Profile? = nil
  ) -> Consequence {
    if isHarmlessEnd(verdict), profile == .appleModern { return .none }
    let isOwnMethod =
      verdict.code == .removeWrongContext && profile == .gnustep128 && recorded == profile
    return isOwnMethod ? .wrong : consequence(of: verdict.code, under: profile)
  }

  /// The severity of `verdict` under `profile`: its own or the rule's, one step lower where the
  /// fault has no consequence, and a note where all it takes is an old system.
  package static func severity(of verdict: Verdict, under profile: Profile) -> Severity {
    let severity = verdict.severity ?? entry(verdict.code).severity
    let consequence = consequence(of: verdict, under: profile)
    if isHarmlessEnd(verdict) { return consequence == .crash ? severity : .note }
    return consequence == .none ? severity.lowered : severity
  }

  private static func isHarmlessEnd(_ verdict: Verdict) -> Bool {
    verdict.code == .observedDeinitWhileObserved && verdict.detail == .endsByItself
  }

  /// A catalogue entry, in the order in which a rule is told of.
  static func rule(
    _ code: RuleCode,
    _ slug: String,
    _ title: String,
    _ severity: Severity,
    isLive: Bool = false,
    _ consequences: Consequences,
    hint: String,
    tokenHint: String? = nil,
    foundationHint: String? = nil,
    happened: String,
    matters: String,
    fix: String,
    before: String,
    after: String
  ) -> Entry {
    Entry(
      code: code,
      slug: slug,
      title: title,
      severity: severity,
      isLive: isLive,
      consequences: consequences,
      hint: hint,
      tokenHint: tokenHint,
      foundationHint: foundationHint,
      explanation: Explanation(
        happened: happened,
        matters: matters,
        fix: fix,
        before: before,
        after: after
      )
    )
  }
}

extension RuleCode {
  /// The rule's name in words.
  package var slug: String { RuleCatalogue.entry(self).slug }
}
