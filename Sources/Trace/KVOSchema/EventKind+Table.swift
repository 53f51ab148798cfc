/// A kind of record in the binary form that is not an event.
package struct OtherRecord: Sendable {
  package var number: Int
  /// The case of `BinaryFormat.Record`.
  package var name: String
  package var meaning: String

  package static let all = [
    OtherRecord(number: 48, name: "string", meaning: "A text and the id that records name it by."),
    OtherRecord(
      number: 49,
      name: "stack",
      meaning: "Addresses and the id that records name them by."
    ),
    OtherRecord(
      number: 50,
      name: "describedStack",
      meaning: "A stack of which more is known than its addresses."
    ),
    OtherRecord(number: 51, name: "scope", meaning: "The scope of the events that follow."),
    OtherRecord(number: 52, name: "thread", meaning: "The thread of the events that follow."),
  ]
}

extension EventKind {
  /// All events, in the order of their numbers.
  package static let all = [
    EventKind(1, "process", .process),
    EventKind(2, "module", .module),
    EventKind(3, "threadName", .threadName),
    EventKind(4, "live", .registration, .medium),
    EventKind(5, "register", .registration, .high),
    EventKind(6, "registerEnd", .registrationEnd, .high),
    EventKind(7, "refused", .refusal),
    EventKind(8, "remove", .removal, .high),
    EventKind(9, "removeEnd", .removal, .high),
    EventKind(10, "cancel", .cancellation, .medium),
    EventKind(11, "willChange", .change, .high),
    EventKind(12, "didChange", .change, .high),
    EventKind(13, "notify", .delivery, .high),
    EventKind(14, "notifyEnd", .delivery, .high),
    EventKind(15, "attach", .attachment),
    EventKind(16, "detach", .attachment),
    EventKind(17, "deinit", .deallocation, .high),
    EventKind(18, "deinitEnd", .deallocation, .high),
    EventKind(19, "write", .write),
    EventKind(20, "hold", .reference),
    EventKind(21, "drop", .reference),
    EventKind(22, "walkBegin", .walk),
    EventKind(23, "walkEnd", .walkEnd),
    EventKind(24, "expectDeinit", .expectation),
    EventKind(25, "scopeBegin", .scope),
    EventKind(26, "scopeEnd", .scopeEnd),
    EventKind(27, "lock", .lock, .medium),
    EventKind(28, "unlock", .lock, .medium),
    EventKind(29, "class", caseName: "classChanged", .classChange),
    EventKind(30, "declares", .declaration),
    EventKind(31, "crash", .crash),
    EventKind(32, "dropped", .loss),
    EventKind(33, "exit", .exit),
    EventKind(34, "expects", .expectedRules),
    EventKind(35, "keep", .keeping),
    EventKind(36, "sample", .sampling),
    EventKind(37, "consumerBegin", .consumer),
    EventKind(38, "parked", .consumer),
    EventKind(39, "consumerEnd", .consumerEnd),
  ]

  /// The most frequent events, most frequent first; a reader of names tries them in this order.
  package static let byFrequency: [EventKind] = {
    let first = [
      "notify", "notifyEnd", "willChange", "didChange", "register", "registerEnd", "remove",
      "removeEnd", "deinit", "deinitEnd", "cancel", "attach", "detach", "lock", "unlock",
    ]
    return first.compactMap { name in all.first { $0.name == name } }
      + all.filter { !first.contains($0.name) }
  }()
}
