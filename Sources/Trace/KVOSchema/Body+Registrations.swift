// How registrations begin and end.

// MARK: - Adding

extension Body {
  package static let registration = Body(
    "registration",
    "Registration",
    frequency: .medium,
    fields: [
      Field("subject", .object, means: "the observed object"),
      Field("observer", .object, .optional, .bit(1), means: "absent in the token form without one"),
      Field(
        "keyPath",
        .string,
        .requiredExcept(in: "refused"),
        role: .name,
        means: "the observed path"
      ),
      Field("context", .context, .optional, .shape(3), means: "see above"),
      Field("options", .options, .optional, .shape(7), means: "what the call asks for"),
      Field(
        "registration",
        .identifier("RegistrationID"),
        .optional,
        .bit(0),
        name: "id",
        isLeading: true,
        means: """
          later events name the registration by it. Without it, it can only end by a `remove` or \
          a deallocation, and no notification can name it
          """
      ),
      Field(
        "form",
        .choice(.form),
        .defaults(
          ".unsaid(observer: observer, token: token)",
          shown: "`token` if there is a `token` or no `observer`, otherwise `classic`",
          isWritten: true
        ),
        .shape(5),
        means: "which call made it, and so what ends it"
      ),
      Field(
        "token",
        .object,
        .optional,
        .bit(2, after: 3),
        means: """
          what the token form handed out. Its `deinitEnd` ends the registration, with or without \
          a `cancel`
          """
      ),
      Field(
        "site",
        .string,
        .optional,
        .bit(11),
        role: .code,
        means: """
          source line of the call, `Screen.swift:12`, if the compiler gives it; a blank and the \
          function may follow, `Screen.swift:12 show()`. Two sites are the same if they are \
          spelled alike. Missing: the first own frame of the `stack` stands in
          """
      ),
      Field(
        "executor",
        .string,
        .optional,
        .bit(12),
        role: .prose,
        means: "the actor, queue or thread that callbacks are expected on"
      ),
      Field(
        "expectedToLive",
        .string,
        .optional,
        .bit(13),
        role: .prose,
        means: "why it is meant to outlive its scope"
      ),
    ]
  )

  package static let registrationEnd = Body(
    "registrationEnd",
    fields: [
      Field(
        "registration",
        .identifier("RegistrationID"),
        label: "",
        means: "the registration that is in the table"
      )
    ]
  )

  package static let refusal = Body(
    "refusal",
    fields: [
      Field("", .fields(of: .registration), name: "registration", label: ""),
      Field("reason", .choice(.refusalReason), means: "why it was not carried out"),
      Field(
        "part",
        .string,
        .optional,
        role: .name,
        means: "the part of the key path that was refused"
      ),
    ]
  )
}

// MARK: - Ending

extension Body {
  package static let removal = Body(
    "removal",
    "Removal",
    frequency: .medium,
    fields: [
      Field("subject", .object, means: "the observed object"),
      Field("observer", .object, .optional, .bit(0), means: "the observer that the call names"),
      Field("keyPath", .string, role: .name, means: "the path that the call names"),
      Field("context", .context, .optional, .shape(2), means: "see above"),
      Field(
        "registration",
        .match(nullBit: 5, flag: "isUnmatched"),
        .optional,
        .bit(1),
        means: """
          the one that it matched; `null`: it matched none. Missing: not said; the names and the \
          context decide, as the runtime of the log does it
          """
      ),
      Field(
        "site",
        .string,
        .optional,
        .bit(4),
        role: .code,
        means: "the source line of the call, `Screen.swift:41`, if the compiler gives it"
      ),
    ]
  )

  package static let cancellation = Body(
    "cancellation",
    fields: [
      Field(
        "registration",
        .identifier("RegistrationID"),
        label: "",
        means: "the registration that ended"
      ),
      Field("by", .choice(.cancelCause), name: "cause", label: "by", means: "what ended it"),
    ]
  )
}
