// What happens to observed objects, and the callbacks of their observers.

// MARK: - Changing and delivering

extension Body {
  package static let change = Body(
    "change",
    "Change",
    frequency: .high,
    fields: [
      Field("subject", .object, means: "the object that changes"),
      Field("key", .string, role: .name, means: "its key"),
      Field(
        "change",
        .identifier("ChangeID"),
        .optional,
        .bit(2),
        name: "id",
        means: "shared by the two halves of one change"
      ),
      Field(
        "kind",
        .choice(.changeKind),
        .defaults(".setting", isWritten: false),
        .shape(0),
        means: "what happens to the value"
      ),
    ]
  )

  package static let delivery = Body(
    "delivery",
    "Delivery",
    frequency: .high,
    fields: [
      Field(
        "registration",
        .identifier("RegistrationID"),
        means: "the registration whose callback it is"
      ),
      Field(
        "change",
        .identifier("ChangeID"),
        .optional,
        .bit(2),
        means: "the change that is delivered"
      ),
      Field(
        "phase",
        .choice(.phase),
        .defaults(".after", isWritten: true),
        .shape(0),
        means: "which of the callbacks of the registration it is"
      ),
      Field(
        "executor",
        .string,
        .optional,
        .bit(3),
        role: .prose,
        means: "what the callback ran on; does not count beside an `exception`"
      ),
      Field(
        "handled",
        .flag,
        .optional,
        .shape(4),
        name: "isHandled",
        means: "on the end; false: the observer did not know the notification"
      ),
      Field(
        "exception",
        .string,
        .optional,
        .bit(6),
        role: .name,
        means: """
          on the end: the name of the exception that left the callback; the event's stack is \
          then that of where it was raised
          """
      ),
    ]
  )

  package static let attachment = Body(
    "attachment",
    "Attachment",
    fields: [
      Field(
        "registration",
        .identifier("RegistrationID"),
        means: "the registration of the deep path"
      ),
      Field("depth", .short, means: "the index in the key path, 0 for the observed object itself"),
      Field("key", .string, role: .name, means: "the key that is observed there"),
      Field("object", .object, means: "the intermediate object"),
      Field(
        "strength",
        .choice(.strength),
        .defaults(".strong", isWritten: true),
        means: "how the path refers to it"
      ),
    ]
  )
}

// MARK: - Lives

extension Body {
  package static let deallocation = Body(
    "deallocation",
    fields: [Field("object", .object, label: "", means: "the object that is deallocated")]
  )

  package static let classChange = Body(
    "classChange",
    fields: [
      Field("object", .object, label: "", means: "the object whose class changed"),
      Field(
        "class",
        .string,
        role: .name,
        name: "className",
        label: "to",
        means: "its class from now on"
      ),
      Field(
        "kvoSubclass",
        .flag,
        .defaults(
          "Grammar.isKVOSubclass(names[className])",
          shown: "true for a class whose name begins with `NSKVONotifying_` or `GSKVO`",
          isWritten: true
        ),
        name: "isKVOSubclass",
        means: "whether a runtime made that class for observing"
      ),
    ]
  )

  package static let expectation = Body(
    "expectation",
    shapeIndex: 1,
    fields: [
      Field("object", .object, label: "", means: "the object that should be deallocated"),
      Field("deadline", .number, .optional, .bit(0), means: "nanoseconds on the clock of `t`"),
    ]
  )
}
