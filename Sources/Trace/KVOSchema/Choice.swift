/// A field that has one of a few words.
package struct Choice: Sendable {
  package struct Word: Sendable {
    /// Its spelling in a line.
    package var text: String
    /// The case of the Swift type.
    package var name: String
    /// Its number in the binary form.
    package var number: Int
  }

  /// Its name in C.
  package var name: String
  /// The enumeration in Swift.
  package var type: String
  package var words: [Word]
  /// Whether it is frequent in logs.
  package var isFrequent: Bool

  /// The words, numbered from `first` on.
  package init(
    _ name: String,
    _ type: String,
    _ words: [String],
    names: [String: String] = [:],
    from first: Int = 0,
    isFrequent: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isFrequent = isFrequent
    self.words = words.enumerated().map { index, text in
      Word(text: text, name: names[text] ?? text, number: first + index)
    }
  }
}

// MARK: - The table

extension Choice {
  package static let objectKind = Choice(
    "objectKind",
    "ObjectRef.Kind",
    ["object", "token", "closure", "registry"],
    isFrequent: true
  )
  package static let runtime = Choice(
    "runtime",
    "ProcessInfo.Runtime",
    ["swift", "apple", "gnustep-1.28", "gnustep-modern"],
    names: ["gnustep-1.28": "gnustep128", "gnustep-modern": "gnustepModern"]
  )
  package static let form = Choice(
    "form",
    "Registration.Form",
    ["classic", "token", "controller", "stream"]
  )
  package static let refusalReason = Choice(
    "refusalReason",
    "RefusalReason",
    [
      "nilKeyPath", "emptyKeyPath", "unknownKey", "throughCollection", "readOnly", "notObservable",
      "raised",
    ]
  )
  package static let cancelCause = Choice(
    "cancelCause",
    "CancelCause",
    ["user", "owner", "subject", "token", "observer", "runtime"]
  )
  package static let changeKind = Choice(
    "changeKind",
    "Change.Kind",
    ["setting", "insertion", "removal", "replacement"],
    isFrequent: true
  )
  package static let phase = Choice(
    "phase",
    "Delivery.Phase",
    ["initial", "prior", "after"],
    isFrequent: true
  )
  package static let strength = Choice(
    "strength",
    "Reference.Strength",
    ["strong", "weak", "unowned"]
  )
  package static let certainty = Choice(
    "certainty",
    "Reference.Certainty",
    ["proven", "suspected"]
  )
  /// 0 in the binary form: not said.
  package static let problem = Choice(
    "problem",
    "KeyDeclaration.Problem",
    ["noAccessor", "ignoredDependencies"],
    from: 1
  )

  package static let consumerForm = Choice(
    "consumerForm",
    "Consumer.Form",
    ["loop", "continuation"]
  )
  package static let consumerEnd = Choice(
    "consumerEnd",
    "Consumer.End",
    ["finished", "cancelled", "failed", "left", "resumed"]
  )

  package static let all = [
    objectKind, runtime, form, refusalReason, cancelCause, changeKind, phase, strength, certainty,
    problem, consumerForm, consumerEnd,
  ]

  /// The options of a registration, each a bit: in the order of their bits.
  package static let options = ["new", "old", "initial", "prior"]
}
