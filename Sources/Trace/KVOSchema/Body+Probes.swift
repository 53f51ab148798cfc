// Events that do not concern observing itself.

// MARK: - What probes saw

extension Body {
  package static let write = Body(
    "write",
    fields: [
      Field("subject", .object, means: "the object that was looked at"),
      Field("key", .string, role: .name, means: "its key"),
      Field(
        "fingerprint",
        .stringOrNumber,
        role: .opaque,
        means: "equal fingerprints mean equal values"
      ),
    ]
  )

  package static let reference = Body(
    "reference",
    "Reference",
    shapeIndex: 3,
    fields: [
      Field("from", .end(unsaidBit: 3), means: "the object that has the reference"),
      Field("to", .end(unsaidBit: 4), means: "the object that it leads to"),
      Field(
        "label",
        .string,
        .optional,
        role: .name,
        means: "how a programmer names the reference: a property, `capture of self`"
      ),
      Field(
        "strength",
        .choice(.strength),
        .defaults(".strong", isWritten: true),
        .shape(0),
        means: "what the reference does to the lifetime of the object"
      ),
      Field(
        "certainty",
        .choice(.certainty),
        .defaults(".proven", isWritten: true),
        .shape(2),
        means: "`suspected`: a word that looks like a reference"
      ),
      Field("site", .string, .optional, role: .code, means: "where a closure was formed"),
    ]
  )

  package static let walk = Body(
    "walk",
    fields: [Field("roots", .objects, .optional, means: "where the walk begins")]
  )

  package static let walkEnd = Body(
    "walkEnd",
    fields: [
      Field(
        "complete",
        .flag,
        .defaults("true", isWritten: true),
        .shape(0),
        name: "isComplete",
        means: "whether the walk saw everything that it could reach"
      ),
      Field(
        "opaque",
        .strings,
        .optional,
        role: .name,
        means: "the classes that it could not inspect"
      ),
      Field(
        "asserted",
        .flag,
        .defaults("false", isWritten: false),
        .shape(1),
        name: "isAsserted",
        means: "true: a test asserts that the walk finds no cycle"
      ),
    ]
  )

  package static let declaration = Body(
    "declaration",
    "KeyDeclaration",
    shapeIndex: 3,
    fields: [
      Field("class", .string, role: .name, name: "className", means: "the class that says it"),
      Field("superclass", .string, .optional, role: .name, means: "its superclass, if it has one"),
      Field("key", .string, role: .name, means: "the key that it says it of"),
      Field(
        "affectedBy",
        .keyPaths,
        .optional,
        role: .name,
        means: "the key paths that it depends on"
      ),
      Field(
        "manual",
        .flag,
        .defaults("false", isWritten: true),
        .shape(0),
        name: "isManual",
        means: "whether the class notifies of the key by itself"
      ),
      Field(
        "problem",
        .choice(.problem),
        .optional,
        .shape(2),
        means: """
          why an observation of the key is not notified, or not of everything, though the \
          runtime took it
          """
      ),
    ]
  )
}

// MARK: - Brackets and ends

extension Body {
  package static let scope = Body(
    "scope",
    "Scope",
    fields: [
      Field("id", .identifier("ScopeID"), means: "the scope"),
      Field("parent", .identifier("ScopeID"), .optional, .bit(0), means: "the scope that it is in"),
      Field("name", .string, .optional, role: .prose, means: "what it is called"),
      Field("repetition", .count, .optional, .bit(1), means: "which run of it this is, from 0"),
    ]
  )

  package static let scopeEnd = Body(
    "scopeEnd",
    fields: [Field("id", .identifier("ScopeID"), label: "", means: "the scope that closes")]
  )

  package static let lock = Body(
    "lock",
    fields: [Field("lock", .identifier("LockID"), label: "", means: "the lock")]
  )

  package static let expectedRules = Body(
    "expectedRules",
    fields: [Field("rules", .rules, means: "the rules whose violations a test provokes")]
  )

  package static let crash = Body(
    "crash",
    "Crash",
    shapeIndex: 3,
    fields: [
      Field("signal", .stringOrNumber, .optional, role: .name, means: "the signal, `SIGSEGV`"),
      Field("exception", .string, .optional, role: .name, means: "the name of the exception"),
      Field("reason", .string, .optional, role: .prose, means: "what was printed with it"),
      Field(
        "live",
        .count,
        .optional,
        .bit(0),
        name: "liveCount",
        means: "how many registrations there are"
      ),
    ]
  )

  package static let loss = Body(
    "loss",
    fields: [
      Field("count", .number, means: "how many events could not be recorded"),
      Field("why", .string, .optional, role: .prose, means: "why not"),
    ]
  )

  package static let keeping = Body(
    "keeping",
    fields: [
      Field("reason", .string, role: .prose, label: "", means: "why the recording is kept")
    ]
  )

  package static let sampling = Body(
    "sampling",
    fields: [
      Field(
        "of1024",
        .number,
        name: "share",
        means: """
          from here on only events of these objects are recorded: those of whose numeric id the \
          64-bit finalizer of MurmurHash3 makes a number with the upper ten bits below it. It \
          never rises in a log
          """
      ),
      Field("why", .string, .optional, role: .prose, means: "which budget asks for it"),
    ]
  )

  package static let exit = Body(
    "exit",
    fields: [Field("status", .signed, means: "the exit status; may be negative")]
  )
}
