/// What holds the rows that miss their targets, as far as it is known: for the reports, by row.
///
/// Shares are of the instructions that callgrind counts. An entry goes when its row meets its target.
enum Explanations {
  static let recorder = [
    "threads-release":
      "the ranges of the two rows overlap: what is left differs from run to run.",
    "event-debug": unoptimised,
    "repeated-stack-debug": unoptimised,
  ]

  private static let unoptimised =
    "SwiftPM builds the C half without optimisation too, which is a quarter of the time; the rest is Swift "
    + "that is neither inlined nor specialised: the generic identifiers of a delivery and their metadata, "
    + "on both sides of the call."

  static let objectiveC = [
    "pairs-many-recorded":
      "the instructions are those of the row without others. The first tens of thousands of pairs reuse memory "
      + "all over the heap, and each address is looked up in tables of which that part is in no cache yet, "
      + "some of it not even in memory; the log's pages come late where the machine is busy. In runs of 200,000 "
      + "pairs it is 1.33×, with 1.28× without others.",
    "sets-recorded":
      "it lies at the target: 1.20× by the least of seven runs each, 1.19× to 1.27× from one measurement "
      + "to the next.",
  ]

  static let observation = [
    "set-recorded":
      "a fifth of the time writes the four events; the rest takes their places among the object's "
      + "events, claims the delivery under the object's lock, and keeps the brackets of the change.",
    "pair": registering,
    "pair-faster-notification": registering,
    "pair-faster-gnustep": registering,
  ]

  private static let registering =
    "of 2,734 instructions a seventh allocates and frees the token and the observation, a seventh keeps the "
    + "ledger that the rules judge, an eighth counts references and a twentieth takes the stack; the rest "
    + "names the call, fills the registration, takes the lock and publishes the key, at both ends."

  /// Empty, as above.
  static let importing: [String: String] = [:]

  static let replay = [
    "rules-64k":
      "half of the instructions are the rules and what they keep of objects and registrations; a third "
      + "copies events into batches and out of them; the rest looks ahead and finds out whether an "
      + "event is next.",
    "rules-4m":
      "no more instructions an event than with few registrations (compared at 262,144): what is added "
      + "is waiting for memory. Among the first quarter of a million events something takes as long "
      + "as over a million later ones; it is in the figure.",
    "audit-binary-64k":
      "a fifth of the instructions are the reader, under a half the rules as above; a third hands "
      + "events from one stage to the next and copies them. The file has 13 bytes an event, so that "
      + "the sum of its words is a quarter of a nanosecond.",
    "audit-binary-4m": "the same, and what many registrations add above.",
    "audit-json":
      "two fifths of the instructions are the reader's scanner, a third the rules as above; a "
      + "quarter hands events from one stage to the next and copies them.",
    "symbols-each-20000": naming,
    "symbols-batch-20000": naming,
    "symbols-each-200000": namingOften,
    "symbols-batch-200000": namingOften,
    "version":
      "the loader: over four fifths of the instructions place a position-independent program with "
      + "Foundation in it (81,000 relocations) and bind libdw and the C++ library; linked to a fixed "
      + "address it takes three quarters of the time, which a reader of strangers' files should not be.",
  ]

  static let retention = [
    "cycles-ordered": ordered,
    "cyclic-ordered": ordered
      + " A sixth more looks for who leads to references that may close a cycle, "
      + "reads those objects once more and names a hundred cycles.",
  ]

  private static let ordered =
    "the bound reads two words of a node in 30 instructions, in an order in which the processor has them "
    + "ready, and keeps nothing. A walk takes about 155 for a node and what it holds, nine tenths of them "
    + "to check and read objects and to note what they lead to. A tenth of the time is the kernel's, for "
    + "memory to note it in."

  private static let naming =
    "two fifths of the instructions of the whole process demangle the names of functions, over a third "
    + "reads the entries of the compile units; both are done once a name or unit, in every run."
  private static let namingOften = "the same, less of it for each address."
}
