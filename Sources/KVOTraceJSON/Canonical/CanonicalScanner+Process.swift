import KVOTrace

/// What describes the process and its code: a few lines of a log.
extension CanonicalScanner {
  mutating func process(_ line: inout LineCursor) throws(NotCanonical) -> ProcessInfo {
    var process = ProcessInfo()
    if line.take(#","schema":"#) {
      process.schema = try integer(&line)
      // A later schema is for the reader to refuse.
      guard process.schema <= ProcessInfo.schema else { throw NotCanonical() }
    }
    if line.take(#","pid":"#) { process.pid = try integer(&line) }
    if line.take(#","executable":"#) { process.executable = try text(&line) }
    if line.take(#","runtime":"#) { process.runtime = try runtime(&line) }
    if line.take(#","os":"#) { process.os = try text(&line) }
    if line.take(#","started":"#) { process.started = try text(&line) }
    if line.take(#","complete":"#) { process.isComplete = try flag(&line) }
    if line.take(#","saysScopes":"#) { process.saysScopes = try flag(&line) }
    if line.take(#","omitsNotifications":"#) { process.omitsNotifications = try flag(&line) }
    return process
  }

  private func runtime(_ line: inout LineCursor) throws(NotCanonical) -> ProcessInfo.Runtime {
    if line.take(#""swift""#) { return .swift }
    if line.take(#""apple""#) { return .apple }
    if line.take(#""gnustep-1.28""#) { return .gnustep128 }
    try line.expect(#""gnustep-modern""#)
    return .gnustepModern
  }

  mutating func module(_ line: inout LineCursor) throws(NotCanonical) -> Module {
    try line.expect(#","path":"#)
    let path = try text(&line)
    let buildID = line.take(#","buildID":"#) ? try text(&line) : ""
    let loadBias = line.take(#","loadBias":"#) ? try address(&line) : 0
    try line.expect(#","textStart":"#)
    let textStart = try address(&line)
    try line.expect(#","textEnd":"#)
    return Module(
      path: path,
      buildID: buildID,
      loadBias: loadBias,
      textStart: textStart,
      textEnd: try address(&line)
    )
  }

  mutating func scope(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Scope {
    try line.expect(#","id":"#)
    return Scope(
      id: try identifier(&line, &names),
      parent: line.take(#","parent":"#) ? try identifier(&line, &names) : nil,
      name: line.take(#","name":"#) ? try string(&line, &names) : .none,
      repetition: line.take(#","repetition":"#) ? try integer(&line) : nil
    )
  }

  mutating func declaration(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> KeyDeclaration {
    try line.expect(#","class":"#)
    let className = try string(&line, &names)
    let superclass = line.take(#","superclass":"#) ? try string(&line, &names) : .none
    try line.expect(#","key":"#)
    return KeyDeclaration(
      className: className,
      superclass: superclass,
      key: try string(&line, &names),
      affectedBy: line.take(#","affectedBy":"#) ? try strings(&line, &names) : [],
      isManual: line.take(#","manual":"#) ? try flag(&line) : false,
      problem: line.take(#","problem":"#) ? try problem(&line) : nil
    )
  }

  private func problem(
    _ line: inout LineCursor
  ) throws(NotCanonical) -> KeyDeclaration.Problem {
    if line.take(#""noAccessor""#) { return .noAccessor }
    try line.expect(#""ignoredDependencies""#)
    return .ignoredDependencies
  }

  mutating func crash(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Crash {
    Crash(
      signal: line.take(#","signal":"#) ? try string(&line, &names) : .none,
      exception: line.take(#","exception":"#) ? try string(&line, &names) : .none,
      reason: line.take(#","reason":"#) ? try string(&line, &names) : .none,
      liveCount: line.take(#","live":"#) ? try integer(&line) : nil
    )
  }

  mutating func write(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Event.Body {
    try line.expect(#","subject":"#)
    let subject = try object(&line, &names)
    try line.expect(#","key":"#)
    let key = try string(&line, &names)
    try line.expect(#","fingerprint":"#)
    return .write(subject: subject, key: key, fingerprint: try string(&line, &names))
  }

  mutating func classChange(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Event.Body {
    try line.expect(#","object":"#)
    let object = try object(&line, &names)
    try line.expect(#","class":"#)
    let name = try string(&line, &names)
    try line.expect(#","kvoSubclass":"#)
    return .classChanged(object, to: name, isKVOSubclass: try flag(&line))
  }

  /// Codes of rules, each `KVO` and three digits.
  func rules(_ line: inout LineCursor) throws(NotCanonical) -> [UInt16] {
    var rules: [UInt16] = []
    try line.expect("[")
    if line.take("]") { return [] }
    repeat {
      try line.expect(#""KVO"#)
      var number: UInt16 = 0
      for _ in 0..<3 {
        let digit = try line.takeByte(UInt8(ascii: "0")...UInt8(ascii: "9"))
        number = number * 10 + UInt16(digit - UInt8(ascii: "0"))
      }
      try line.expect(#"""#)
      rules.append(number)
    } while line.take(",")
    try line.expect("]")
    return rules
  }
}
