/// Which keys a line may have, so that the others can be counted.
enum Grammar {
  private static let common: Set = ["event", "t", "thread", "order", "stack", "scope"]
  private static let registration: Set = [
    "subject", "observer", "keyPath", "context", "options", "registration", "form", "token", "site",
    "executor", "expectedToLive",
  ]
  private static let removal: Set = [
    "subject", "observer", "keyPath", "context", "registration", "site",
  ]
  private static let change: Set = ["subject", "key", "change", "kind"]
  private static let delivery: Set = [
    "registration", "change", "phase", "executor", "handled", "exception",
  ]
  private static let attachment: Set = ["registration", "depth", "key", "object", "strength"]
  private static let reference: Set = ["from", "to", "label", "strength", "certainty", "site"]

  /// The keys of an object.
  static let object: Set = ["class", "id", "address", "kind"]
  /// The keys of a frame.
  static let frame: Set = ["address", "symbol", "module", "file", "line"]

  private static let own: [String: Set<String>] = [
    "process": [
      "schema", "pid", "executable", "runtime", "os", "started", "complete", "saysScopes",
      "omitsNotifications",
    ],
    "module": ["path", "buildID", "loadBias", "textStart", "textEnd"],
    "threadName": ["name"],
    "live": registration,
    "register": registration,
    "registerEnd": ["registration"],
    "refused": registration.union(["reason", "part"]),
    "remove": removal,
    "removeEnd": removal,
    "cancel": ["registration", "by"],
    "willChange": change,
    "didChange": change,
    "notify": delivery,
    "notifyEnd": delivery,
    "attach": attachment,
    "detach": attachment,
    "deinit": ["object"],
    "deinitEnd": ["object"],
    "write": ["subject", "key", "fingerprint"],
    "hold": reference,
    "drop": reference,
    "walkBegin": ["roots"],
    "walkEnd": ["complete", "opaque", "asserted"],
    "expectDeinit": ["object", "deadline"],
    "scopeBegin": ["id", "parent", "name", "repetition"],
    "scopeEnd": ["id"],
    "lock": ["lock"],
    "unlock": ["lock"],
    "class": ["object", "class", "kvoSubclass"],
    "declares": ["class", "superclass", "key", "affectedBy", "manual", "problem"],
    "crash": ["signal", "exception", "reason", "live"],
    "dropped": ["count", "why"],
    "exit": ["status"],
    "expects": ["rules"],
  ]

  private static let all = own.mapValues { $0.union(common) }

  /// Whether the name of a class is one that runtimes give to the subclasses which they make for
  /// observing: Apple's, and GNUstep's.
  static func isKVOSubclass(_ name: String) -> Bool {
    name.hasPrefix("NSKVONotifying_") || name.hasPrefix("GSKVO")
  }

  /// Whether there are events of that name.
  static func isEvent(_ name: String) -> Bool { own[name] != nil }

  /// Calls `found` with every key of `line` that the grammar does not have, as `subject.colour` where
  /// it is inside another value.
  ///
  /// Complexity: O(keys).
  static func unknownKeys(
    of line: [String: JSONValue],
    in event: String,
    _ found: (String) -> Void
  ) {
    let known = all[event] ?? []
    for (key, value) in line {
      guard known.contains(key) else {
        found(key)
        continue
      }
      let inner = key == "stack" ? frame : object
      switch value {
      case .object(let values): unknownKeys(of: values, known: inner, under: key, found)
      case .list(let elements):
        for case .object(let values) in elements {
          unknownKeys(of: values, known: inner, under: key, found)
        }
      default: break
      }
    }
  }

  private static func unknownKeys(
    of values: [String: JSONValue],
    known: Set<String>,
    under parent: String,
    _ found: (String) -> Void
  ) {
    for key in values.keys where !known.contains(key) { found("\(parent).\(key)") }
  }
}
