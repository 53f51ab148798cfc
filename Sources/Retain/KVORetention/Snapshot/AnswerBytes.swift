/// A search's answer as bytes, which a snapshot sends to the process that requested it.
///
/// Both processes run the same build, so the format has no version: numbers of eight little-endian
/// bytes, texts and lists with their count first. The sender may have been killed while it wrote:
/// for any bytes, the reader returns an answer or nil.
struct AnswerBytes {
  private(set) var bytes: [UInt8] = []
  private var offset = 0
  private var isDamaged = false

  // MARK: Writing

  init(_ answer: RetainAnswer) { write(answer) }

  init(_ answers: [RetainAnswer]) { write(answers) { $0.write($1) } }

  private mutating func write(_ answer: RetainAnswer) {
    write(answer.cycles) { $0.write($1) }
    write(answer.suspectedCycles) { $0.write($1) }
    write(answer.taskCycles) { $0.write($1) }
    write(answer.componentCount)
    write(answer.omittedCycleCount)
    write(answer.opaque) { bytes, object in
      bytes.write(object.className)
      bytes.write(object.label)
      bytes.write(Int(object.reason.rawValue))
      bytes.write(object.count)
    }
    write(answer.objectCount)
    write(answer.referenceCount)
  }

  init(_ tasks: RetainTasks) {
    write(tasks.holders) { bytes, holder in
      bytes.write(holder.path.edges)
      bytes.write(holder.count)
    }
    write(tasks.omittedCount)
    write(tasks.waitingCount)
    write(tasks.runningCount)
    write(tasks.isComplete ? 1 : 0)
  }

  private mutating func write(_ cycle: RetainCycle) { write(cycle.edges) }

  private mutating func write(_ edges: [RetainEdge]) {
    write(edges) { bytes, edge in
      bytes.write(edge.from)
      bytes.write(edge.label)
      bytes.write(edge.to)
      bytes.write(edge.certainty == .proven ? 0 : 1)
      bytes.write([edge.site].compactMap(\.self)) { $0.write($1) }
      bytes.write([edge.function].compactMap(\.self)) { $0.write($1) }
      bytes.write(Int(bitPattern: edge.code))
      bytes.write(Int(bitPattern: edge.observation))
    }
  }

  private mutating func write(_ object: RetainedObject) {
    write(object.className)
    write(Int(bitPattern: object.address))
    write(Self.kinds.firstIndex(of: object.kind) ?? 0)
  }

  private static let kinds: [RetainedObject.Kind] = [.instance, .closure, .opaque, .task]

  private mutating func write(_ number: Int) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes += text.utf8
  }

  private mutating func write<Element>(
    _ list: [Element],
    _ one: (inout AnswerBytes, Element) -> Void
  ) {
    write(list.count)
    for element in list { one(&self, element) }
  }

  // MARK: Reading

  /// The answer in the bytes, or nil if they are malformed.
  static func answer(of bytes: [UInt8]) -> RetainAnswer? {
    var reader = AnswerBytes(reading: bytes)
    let answer = reader.answer()
    return reader.isWhole ? answer : nil
  }

  /// The answers in the bytes, or nil if they are malformed.
  static func answers(of bytes: [UInt8]) -> [RetainAnswer]? {
    var reader = AnswerBytes(reading: bytes)
    let answers = reader.list { $0.answer() }
    return reader.isWhole ? answers : nil
  }

  /// The tasks in the bytes, or nil if they are malformed.
  static func tasks(of bytes: [UInt8]) -> RetainTasks? {
    var reader = AnswerBytes(reading: bytes)
    let tasks = RetainTasks(
      holders: reader.list {
        RetainTasks.Holder(path: RetainPath(edges: $0.edges()), count: $0.number())
      },
      omittedCount: reader.number(),
      waitingCount: reader.number(),
      runningCount: reader.number(),
      isComplete: reader.number() == 1
    )
    return reader.isWhole ? tasks : nil
  }

  private init(reading bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything was read, and nothing was malformed.
  private var isWhole: Bool { !isDamaged && offset == bytes.count }

  private mutating func answer() -> RetainAnswer {
    RetainAnswer(
      cycles: list { $0.cycle() },
      suspectedCycles: list { $0.cycle() },
      taskCycles: list { $0.cycle() },
      componentCount: number(),
      omittedCycleCount: number(),
      opaque: list { $0.opaque() },
      objectCount: number(),
      referenceCount: number()
    )
  }

  private mutating func cycle() -> RetainCycle { RetainCycle(edges: edges()) }

  private mutating func edges() -> [RetainEdge] {
    list { bytes in
      RetainEdge(
        from: bytes.object(),
        label: bytes.text(),
        to: bytes.object(),
        certainty: bytes.number() == 0 ? .proven : .suspected,
        site: bytes.list { $0.text() }.first,
        function: bytes.list { $0.text() }.first,
        code: UInt(bitPattern: bytes.number()),
        observation: UInt(bitPattern: bytes.number())
      )
    }
  }

  private mutating func object() -> RetainedObject {
    let name = text()
    let address = UInt(bitPattern: number())
    let kind = number()
    guard Self.kinds.indices.contains(kind) else {
      isDamaged = true
      return RetainedObject(className: name, address: address, kind: .opaque)
    }
    return RetainedObject(className: name, address: address, kind: Self.kinds[kind])
  }

  private mutating func opaque() -> OpaqueObject {
    let (name, label) = (text(), text())
    let reason = UInt8(exactly: number()).flatMap { OpaqueReason(rawValue: $0) }
    if reason == nil { isDamaged = true }
    return OpaqueObject(
      className: name,
      label: label,
      reason: reason ?? .unknownType,
      count: number()
    )
  }

  private mutating func number() -> Int {
    guard bytes.count - offset >= 8 else {
      isDamaged = true
      return 0
    }
    defer { offset += 8 }
    return (0..<8).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
  }

  private mutating func text() -> String {
    let count = number()
    guard count >= 0, count <= bytes.count - offset else {
      isDamaged = true
      return ""
    }
    defer { offset += count }
    return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
  }

  /// Stops at malformed bytes, so that a count of any size does no harm.
  private mutating func list<Element>(_ one: (inout AnswerBytes) -> Element) -> [Element] {
    let count = number()
    if count < 0 { isDamaged = true }
    var list: [Element] = []
    while list.count < count, !isDamaged { list.append(one(&self)) }
    return list
  }
}
