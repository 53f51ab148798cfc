/// The known reasons why rows miss their targets: for the reports, by row.
///
/// Shares are of the instructions that callgrind counts. An entry is removed when its row meets its
/// target.
enum Explanations {
  static let recorder = [
    "threads-release":
      "the ranges of the two rows overlap: what is left differs from run to run.",
    "event-debug": unoptimized,
    "repeated-stack-debug": unoptimized,
  ]

  private static let unoptimized =
    "SwiftPM builds the C half without optimization too, and packages that others depend on may not ask for "
    + "it (unsafeFlags): that half alone takes over a quarter of the instructions, more than the whole recorder does "
    + "in a release build. The rest is Swift that is neither inlined nor specialized."

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
    "pair-deep": linking,
    "pair-deep-classic": linking,
    "pair-dependent": linking,
    "pair-controller":
      "the controller keeps the observation under the observed object, and the observer's record keeps it "
      + "again; both objects are looked up by address.",
    "pair-initial":
      "the value is read by a key path, in some 800 instructions of the standard library, and the request goes "
      + "through the checks that a token on a single key is spared.",
    "pair-classic":
      "the key and the observer are looked up by name and by address at both ends, and a removal by name always "
      + "takes a stack.",
    "set-classic":
      "a fifth of 1,420 instructions is the observer's own cast of the new value; as many copy the change, whose values may "
      + "be of any type, for the observer, through the runtime; a tenth finds it, weakly referenced as it is, and keeps it "
      + "during the call.",
    "set-controller":
      "it takes 504 instructions, a set with a token 390: the owner, weakly referenced as it is, is kept during the call, and "
      + "the handler gets it.",
    "set-dependent":
      "the value is read by a key path, in some 800 instructions of the standard library.",
    "set-deep":
      "a sixth of 1,080 instructions finds the link on the other object under its lock, as many count references of the link "
      + "and of the observed object, and a seventh makes the value the optional that the path ends in. What takes the time is "
      + "fifteen atomic operations, four in a set with a token.",
    "set-middle":
      "half of 3,940 instructions finds the object on the path and moves the link to it, under the locks of both objects; a "
      + "quarter counts references. What takes the time is some 70 atomic operations: 54 counts, seven locks.",
    "set-element":
      "a quarter of 11,700 instructions counts references, 141 times; a sixth "
      + "allocates and frees ten objects: the indexes, the extent of the change, the open change, the elements before "
      + "and after it and a copy of the collection; a twelfth finds the accessors of the key five times. The change of "
      + "the property's own accessor is announced and ended inside that of the element.",
    "set-10":
      "of 277 instructions for one observer, 92 find it and hand it the change, 88 are the closures between the "
      + "library and the program's own, 40 read the value again, which an earlier observer may have set, and 21 claim "
      + "the delivery. By instructions the row is 7.4×.",
    "set-recorded-again":
      "1,660 instructions, of which 900 write four events; the recorder's bound for one event is 275 in recorder.md.",
  ]

  private static let linking =
    "the path is read twice at registration, since another thread may replace an object on it meanwhile; then "
    + "the observation is linked to the other object and unlinked, under its lock."

  private static let registering =
    "of 2,734 instructions a seventh allocates and frees the token and the observation, a seventh keeps the "
    + "ledger that the rules judge, an eighth counts references and a twentieth takes the stack; the rest "
    + "names the call, fills the registration, takes the lock and publishes the key, at both ends."

  /// Empty, as above.
  static let importing: [String: String] = [:]

  static let replay = [
    "rules-64k":
      "seven of eight changes are whole and cost a fifth of the instructions; half of them are the removals and "
      + "registrations between, event by event; a quarter looks ahead.",
    "rules-4m":
      "no more instructions an event than with few registrations: what is added is waiting for memory. Among the "
      + "first quarter of a million events something takes as long as over a million later ones; it is in the figure.",
    "audit-binary-64k":
      "nearly half of the instructions are the reader, which also frees the events; as many are the rules as above. The "
      + "file has 13 bytes an event, so that the sum of its words is a quarter of a nanosecond. It is judged on a second "
      + "thread, which CPU time does not show.",
    "audit-binary-4m":
      "the same. Two thirds of the events make the registrations: tables that grow are copied, and filled by the system.",
    "large-2":
      "the reading thread is busy for nine tenths of the time that the judging one takes, and the two take a twentieth more CPU time "
      + "than one does alone.",
    "audit-json":
      "half of the instructions are the reader's scanner, a quarter the rules as above; the rest hands lines and events "
      + "from one stage to the next.",
    "symbols-each-20000": naming,
    "symbols-batch-20000": naming,
    "symbols-each-200000": namingOften,
    "symbols-batch-200000": namingOften,
    "symbols-indexed":
      "a tenth of the instructions is the loader's; the rest reads the list, looks up rows in the index, makes strings of "
      + "them and prints.",
    "symbols-index-in-process":
      "two fifths of the instructions are libdw's, which reads the entries of all functions and not only of those asked "
      + "for; a fifth demangles all their names, on the other threads; a fifth sorts and writes.",
    "version":
      "the loader: over four fifths of the instructions place a position-independent program with "
      + "Foundation in it (85,000 relocations in 263 pages, which the kernel copies) and bind 3,500 symbols of "
      + "13 libraries, libdw, SQLite and the C++ library among them; linked to a fixed address it takes three "
      + "quarters of the time, which a reader of untrusted files should not be.",
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
