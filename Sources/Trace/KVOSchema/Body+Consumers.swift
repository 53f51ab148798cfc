/// Tasks that take values one after the other, and wait for each.
extension Body {
  package static let consumer = Body(
    "consumer",
    "Consumer",
    shapeIndex: 1,
    fields: [
      Field(
        "consumer",
        .identifier("ConsumerID"),
        name: "id",
        means: "the consumer; later events name it by this"
      ),
      Field(
        "waitsIn",
        .choice(.consumerForm),
        .defaults(".loop", isWritten: false),
        .shape(0),
        name: "form",
        means: "a loop over a sequence, or a task that waits for one continuation"
      ),
      Field(
        "awaited",
        .string,
        .optional,
        .bit(1),
        role: .name,
        means: "what it waits for: `Account.balance`, or the name of a sequence"
      ),
      Field(
        "site",
        .string,
        .optional,
        .bit(2),
        role: .code,
        means: "the source line that made the sequence or the continuation, `Screen.swift:12`"
      ),
      Field(
        "registration",
        .identifier("RegistrationID"),
        .optional,
        .bit(3),
        means: "the observation whose values it takes"
      ),
      Field("task", .string, .optional, .bit(4), role: .prose, means: "the name of its task"),
      Field(
        "priority",
        .byte,
        .optional,
        .bit(5),
        means: "the priority of its task when the consumer began"
      ),
      Field(
        "expectedToLive",
        .string,
        .optional,
        .bit(6),
        role: .prose,
        means: "why it is meant to outlive its scope"
      ),
      Field(
        "since",
        .number,
        .optional,
        .bit(7),
        means: "in `parked`: when it began to wait, in nanoseconds on the clock of `t`"
      ),
      Field(
        "orphaned",
        .flag,
        .defaults("false", isWritten: false),
        .shape(8),
        name: "isOrphaned",
        means: """
          in `parked`: true: what could give it a value, or end the sequence, was released without \
          doing so
          """
      ),
      Field(
        "left",
        .flag,
        .defaults("false", isWritten: false),
        .shape(9),
        name: "isLeft",
        means: """
          in `parked`: true: the event's `scope` ends, and its task, which began there, was found \
          waiting
          """
      ),
    ]
  )

  package static let consumerEnd = Body(
    "consumerEnd",
    fields: [
      Field("consumer", .identifier("ConsumerID"), label: "", means: "the consumer that ended"),
      Field(
        "why",
        .choice(.consumerEnd),
        means: """
          its sequence ended, its task was cancelled, its sequence threw an error, the program left \
          the loop, or the continuation was resumed
          """
      ),
    ]
  )
}
