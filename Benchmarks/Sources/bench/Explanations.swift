/// What holds the rows that miss their targets, as far as it is known: for the reports, by row.
///
/// Shares are of the instructions that callgrind counts. An entry goes when its row meets its target.
enum Explanations {
  static let recorder = [
    "event-release":
      "each event is made into a line of JSON (the half) under a lock, and written by a system call.",
    "repeated-stack-release":
      "the frames of every stack are written out in hexadecimal (a quarter), looked for in the list "
      + "of images (a quarter), and captured and looked up as an array (a quarter).",
  ]

  static let replay = [
    "rules-64k":
      "look-ups in dictionaries, several for an event, with Swift's keyed hash: a third of the "
      + "instructions; copying events and counting references to what they hold: a quarter.",
    "rules-4m": "the same, and each look-up of an object that is not in the cache.",
    "audit-json":
      "three quarters are the reader, which has Foundation parse each line and decodes the tree of "
      + "values that comes of it; the rest are the rules, as above.",
    "symbols":
      "reading: the entries of each compile unit are walked one by one through libdw (the half), and "
      + "the name of each function is demangled (over a third). Both are done once an image.",
    "symbols-often": "the same reading, a tenth as much of it for each address.",
    "version":
      "three quarters are ArgumentParser, which reflects on every command before it looks at the "
      + "arguments; a fifth is the loader, which binds libdw and its libraries.",
  ]
}
