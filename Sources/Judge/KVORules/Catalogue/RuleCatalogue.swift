/// The properties of each rule apart from its state machine: names, severities, consequences and texts.
package enum RuleCatalogue {
  /// One rule.
  package struct Entry: Sendable {
    package var code: RuleCode
    /// The name of the rule in words: a public contract, as the code is.
    package var slug: String
    /// What happened, as the heading of a report says it, in lower case and without a full stop.
    package var title: String
    package var severity: Severity
    /// Whether the library judges it while the program runs.
    package var isLive: Bool
    package var consequences: Consequences
    /// Advice, with the line to add; `{subject}` (as a variable), `{Subject}` and `{observer}` (as types),
    /// `{SubjectClass}` (a type, or words for it), `{keyPath}` and `{context}` stand for the names of the case at hand, and
    /// `{contextArgument}` for the last argument of a removal, if the registration has a context.
    package var hint: String
    /// The advice for a token's closure, which has no observer, if it differs.
    package var tokenHint: String?
    /// The advice for a class that another Foundation observes, if it differs from this library's.
    package var foundationHint: String?
    package var explanation: Explanation
  }

  /// The effect on a program under each profile.
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
    let all =
      removals + registrations + lifetimes + changes + deliveries + paths + native + consumers
    return all.sorted { $0.code < $1.code }
  }()

  private static let byCode = Dictionary(uniqueKeysWithValues: entries.map { ($0.code, $0) })
  private static let bySlug = Dictionary(uniqueKeysWithValues: entries.map { ($0.slug, $0) })

  /// The entry of `code`; each has one, which a test checks.
  package static func entry(_ code: RuleCode) -> Entry {
    guard let entry = byCode[code] else { preconditionFailure("no entry for \(code.rawValue)") }
    return entry
  }

  /// The entry that `name` denotes: a code (`KVO001`, in any case) or a slug (`double-remove`).
  package static func entry(named name: String) -> Entry? {
    if let code = RuleCode(rawValue: name.uppercased()) { return entry(code) }
    return bySlug[name.lowercased()]
  }

  /// The rules that the library judges while the program runs.
  package static let live: Set<RuleCode> = Set(entries.filter(\.isLive).map(\.code))

  /// The effect of a fault of `code` on a program under `profile`.
  package static func consequence(of code: RuleCode, under profile: Profile) -> Consequence {
    entry(code).consequences[profile]
  }

  /// The effect of the fault of `verdict` on a program under `profile`.
  ///
  /// A token or a controller that outlives its observed object is harmless except before iOS 11 and macOS 10.13, where
  /// the deallocation of an observed object raises an exception, regardless of the observer. GNUstep 1.28 has no
  /// removal under a context: a program whose log was recorded there, and which made one and continued, has its own
  /// implementation. Every runtime matches the halves of changes by object and key, so changes of different keys may
  /// cross.
  package static func consequence(
    of verdict: Verdict,
    under profile: Profile,
    recordedOn recorded: Profile? = nil
  ) -> Consequence {
    if isHarmlessEnd(verdict), profile == .appleModern { return .none }
    if case .change(.crossed) = verdict.detail { return .none }
    let isOwnMethod =
      verdict.code == .removeWrongContext && profile == .gnustep128 && recorded == profile
    return isOwnMethod ? .wrong : consequence(of: verdict.code, under: profile)
  }

  /// The severity of `verdict` under `profile`: its own or the rule's, one step lower when the fault has no
  /// consequence, and a note if it occurs only on old systems.
  package static func severity(of verdict: Verdict, under profile: Profile) -> Severity {
    let severity = verdict.severity ?? entry(verdict.code).severity
    let consequence = consequence(of: verdict, under: profile)
    if isHarmlessEnd(verdict) { return consequence == .crash ? severity : .note }
    return consequence == .none ? severity.lowered : severity
  }

  private static func isHarmlessEnd(_ verdict: Verdict) -> Bool {
    verdict.code == .observedDeinitWhileObserved && verdict.detail == .endsByItself
  }

  /// A catalogue entry, in the order in which rules are reported.
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
