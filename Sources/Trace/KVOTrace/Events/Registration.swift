/// A registration as `register`, `live` and `refused` describe it.
@usableFromInline
package struct Registration: Hashable, Sendable {
  /// Which notifications the caller requested, with which content.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let new = Options(rawValue: 1)
    package static let old = Options(rawValue: 2)
    package static let initial = Options(rawValue: 4)
    package static let prior = Options(rawValue: 8)

    /// The options that a log names, in the order in which a writer names them.
    package static let named: [(name: String, option: Options)] = [
      ("new", .new), ("old", .old), ("initial", .initial), ("prior", .prior),
    ]
  }

  /// Which of the four call forms made the registration, and so what ends it.
  @usableFromInline
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// `addObserver(_:forKeyPath:options:context:)`: ended by a removal with the same arguments.
    case classic
    /// `observe(_:)`: ended by its token.
    case token
    /// Made through a controller: ended by the deallocation of the controller or its owner.
    case controller
    /// An asynchronous sequence: ended by its iteration or by the deallocation of either side.
    case stream

    /// The form of a registration for which a log does not state it: with a token, or without an observer, it is the
    /// token form; otherwise the classic one.
    package static func unsaid(observer: ObjectRef?, token: ObjectRef?) -> Form {
      observer == nil || token != nil ? .token : .classic
    }
  }

  // In this order those that most events read are together, and the last one ends at a whole word: a size between two
  // words is copied by moves that overlap, and what is read of the copy then waits for both.
  @usableFromInline var idWord: OptionalIdentifier<RegistrationTag>
  @usableFromInline package var subject: ObjectRef
  package var options: Options
  package var form: Form
  /// The key path; ``StringID/none`` if it was nil or empty, which only `refused` reports.
  @usableFromInline package var keyPath: StringID
  /// The actor, queue or thread that callbacks are expected on.
  package var executor: StringID
  /// Nil in the token form without an observer.
  package var observer: ObjectRef?
  package var token: ObjectRef?
  package var context: Context
  /// The source line of the call (`Screen.swift:12`) if the compiler gave it.
  package var site: StringID
  /// Why the registration is meant to outlive its scope; ``StringID/none``: it is not.
  package var expectedToLive: StringID

  /// The number of the registration; nil if the writer does not number its registrations.
  @inlinable package var id: RegistrationID? {
    get { idWord.value }
    set { idWord.value = newValue }
  }

  package init(
    id: RegistrationID?,
    subject: ObjectRef,
    observer: ObjectRef?,
    keyPath: StringID,
    context: Context = .unspecified,
    options: Options = [],
    form: Form = .classic,
    token: ObjectRef? = nil,
    site: StringID = .none,
    executor: StringID = .none,
    expectedToLive: StringID = .none
  ) {
    idWord = OptionalIdentifier(id)
    self.subject = subject
    self.observer = observer
    self.keyPath = keyPath
    self.context = context
    self.options = options
    self.form = form
    self.token = token
    self.site = site
    self.executor = executor
    self.expectedToLive = expectedToLive
  }
}

/// The context argument of an add or a removal.
package enum Context: Hashable, Sendable {
  /// The call has no such argument. A removal of this form removes the newest registration.
  case unspecified
  /// The NULL context.
  case null
  /// A context, as written in the log.
  case named(StringID)

  /// Whether it is neither NULL nor left out.
  package var isNamed: Bool { if case .named = self { true } else { false } }
}
