/// The recorded process, its images and threads.
extension Body {
  package static let process = Body(
    "process",
    "ProcessInfo",
    shapeIndex: 1,
    fields: [
      Field(
        "schema",
        .schema,
        .defaults("ProcessInfo.schema", shown: "1", isWritten: true),
        means: "the version of this text that the log follows"
      ),
      Field("pid", .count, .optional, .bit(0), means: "the process id"),
      Field("executable", .text, .optional, .bit(1), role: .image, means: "its absolute path"),
      Field(
        "runtime",
        .choice(.runtime),
        .optional,
        .bit(2),
        means: """
          whose rules the registrations follow; default `swift`. `apple` is judged as iOS 11 and \
          later, whatever `os` says; for earlier systems use `--profile apple-legacy`
          """
      ),
      Field(
        "os",
        .text,
        .optional,
        .bit(3),
        role: .name,
        means: "name and version of the system, `iOS 16.4`; for readers, not judged"
      ),
      Field("started", .text, .optional, .bit(4), role: .moment, means: "ISO 8601"),
      Field(
        "complete",
        .flag,
        .defaults("true", isWritten: true),
        .shape(5),
        name: "isComplete",
        means: """
          false: recording began after the first observation, or earlier events are gone. A \
          removal that matches nothing (KVO001, KVO002) and an equal addition (KVO005) then \
          count only on objects that a `live` line names, and `"registration":null` does not \
          change that: a writer that knows of no match may not know the registrations from \
          before its start
          """
      ),
      Field(
        "saysScopes",
        .flag,
        .defaults("false", isWritten: false),
        .shape(6),
        means: """
          true: every event that is in a scope says so, and an event without `scope` is in none. \
          For writers whose scopes follow tasks, not threads
          """
      ),
      Field(
        "omitsNotifications",
        .flag,
        .defaults("false", isWritten: false),
        .shape(7),
        means: """
          true: the writer records no notifications, so that a change without a `notify` may \
          have reached its observers
          """
      ),
      Field(
        "appVersion",
        .text,
        .optional,
        .bit(8),
        role: .name,
        means: "the version of the program, `2.4.1`; for readers, not judged"
      ),
      Field(
        "earlierEvents",
        .count,
        .optional,
        .bit(9),
        name: "earlierEventCount",
        means: """
          how many events of this log were recorded before this line, in files that may be gone; \
          for readers, not judged
          """
      ),
      Field(
        "sampled",
        .count,
        .optional,
        .bit(10),
        name: "sampledShare",
        means: """
          the recorder was sampling when this line was written: the share of objects, as in \
          `sample`. Absent: all objects are recorded
          """
      ),
    ]
  )

  package static let module = Body(
    "module",
    "Module",
    fields: [
      Field(
        "path",
        .text,
        role: .image,
        means: "the absolute path of the image on the recorded machine"
      ),
      Field(
        "buildID",
        .text,
        .defaults("\"\"", shown: "", isWritten: false),
        role: .buildID,
        means: "the build-id in lower-case hexadecimal"
      ),
      Field(
        "loadBias",
        .address,
        .defaults("0", isWritten: true),
        means: "what the loader added to the addresses of the file"
      ),
      Field("textStart", .address, means: "the first address of its code"),
      Field("textEnd", .address, means: "the address after the last one of its code"),
    ]
  )

  package static let threadName = Body(
    "threadName",
    fields: [
      Field(
        "name",
        .string,
        role: .prose,
        label: "",
        means: "the name of the line's `thread`; `main` for the main thread. May come again"
      )
    ]
  )
}
