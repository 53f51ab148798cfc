/// The text of a crash by a removal, which tests put into the forms of logs.
enum RemovalCrash {
  static let sentence =
    #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#
  static let lines = [
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: '\(sentence)'",
    "*** First throw call stack:", "(",
    "\t0   CoreFoundation  0x000000010efa11e6 __exceptionPreprocess + 294",
    "\t1   Gauges  0x000000010efa11e7 -[GaugeView stop] + 29", ")",
  ]
  /// The same with its first line wrapped.
  static let wrapped =
    [String(lines[0].prefix(150)), String(lines[0].dropFirst(150))] + lines.dropFirst()
}
