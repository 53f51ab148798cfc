import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("A binary log of several threads") struct BinaryThreadTests {
  /// The threads and times of the events, as `1@10`.
  private func order(_ reading: BinaryReading) -> [String] {
    reading.events.map { "\($0.thread?.number ?? 0)@\($0.time ?? 0)" }
  }

  @Test("is given in the order of time, at equal times the lower thread first")
  func merge() {
    var log = ThreadedLog()
    log.add(thread: 2, at: [10, 20, 30, 30])
    log.add(thread: 1, at: [15, 20, 40])
    log.add(thread: 3, at: [5])
    log.add(thread: 2, at: [31, 50])
    let reading = BinaryReading(log.bytes)
    #expect(
      order(reading) == [
        "3@5", "2@10", "1@15", "1@20", "2@20", "2@30", "2@30", "2@31", "1@40", "2@50",
      ]
    )
    #expect(reading.problems == [])
    #expect(reading.summary.wholeSegmentCount == 5)
    #expect(reading.summary.firstTime == 5)
    #expect(reading.summary.lastTime == 50)
  }

  @Test("merges as sorting does", arguments: 0..<50 as Range<UInt64>)
  func randomMerge(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var log = ThreadedLog()
    var expected: [(time: UInt64, thread: UInt64)] = []
    var clocks: [UInt64: UInt64] = [:]
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let thread = UInt64.random(in: 0..<6, using: &random)
      var time = clocks[thread, default: 0]
      let times = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        time += UInt64.random(in: 0...3, using: &random)
        return time
      }
      clocks[thread] = time
      log.add(thread: thread, at: times)
      expected += times.map { (time: $0, thread: thread) }
    }
    expected.sort { ($0.time, $0.thread) < ($1.time, $1.thread) }
    #expect(order(BinaryReading(log.bytes)) == expected.map { "\($0.thread)@\($0.time)" })
  }

  @Test("with a time that goes back keeps the order of the thread")
  func timeGoesBack() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 30, 5, 31])
    log.add(thread: 2, at: [20, 32])
    #expect(
      order(BinaryReading(log.bytes)) == ["1@10", "2@20", "1@30", "1@5", "1@31", "2@32"]
    )
  }

  @Test("of a killed process is whole up to the last record")
  func open() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20], end: .open)
    log.add(thread: 2, at: [15], end: .counted)
    log.addHole(pages: 3)
    let reading = BinaryReading(log.bytes)
    #expect(order(reading) == ["1@10", "2@15", "1@20"])
    #expect(reading.problems == [])
    #expect(reading.summary.openSegmentCount == 2)
    #expect(reading.summary.isWhole)
  }

  @Test("with a partly written record is reported at the end of the thread")
  func torn() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20], end: .open, tail: [0, 5, 4, 2])
    log.add(thread: 2, at: [15, 30])
    let reading = BinaryReading(log.bytes)
    let offset = log.offsets[1] + 64 + 14
    #expect(reading.problems.map(\.byteCount) == [4])
    #expect(
      reading.course == [
        "willChange 10", "willChange 15", "willChange 20",
        "\(offset): segment 0 of thread 1 ends in the middle of a record", "willChange 30",
      ]
    )
  }

  @Test("that lost a segment in the middle reports which, and its time range")
  func missing() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20])
    log.add(thread: 2, at: [15, 25, 45])
    log.skip(thread: 1)
    log.skip(thread: 1)
    log.add(thread: 1, at: [40])
    let reading = BinaryReading(log.bytes)
    #expect(
      reading.course == [
        "willChange 10", "willChange 15", "willChange 20",
        "\(log.offsets[3]): segments 1 to 2 of thread 1 are missing", "willChange 25",
        "willChange 40", "willChange 45",
      ]
    )
    #expect(reading.problems.first?.from == 20)
    #expect(reading.problems.first?.to == 40)
    #expect(reading.summary.lostSegmentCount == 2)
  }

  @Test("with a spoilt segment loses that one alone, in its time")
  func spoilt() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20])
    log.add(thread: 1, at: [30, 40])
    log.add(thread: 1, at: [50])
    log.add(thread: 2, at: [25, 35])
    var bytes = log.bytes
    bytes[log.offsets[2] + 70] ^= 1
    let reading = BinaryReading(bytes)
    #expect(
      reading.course == [
        "willChange 10", "willChange 20", "willChange 25",
        "\(log.offsets[2]): segment 1 of thread 1 is lost: its checksum is wrong",
        "willChange 35", "willChange 50",
      ]
    )
    let problem = reading.problems.first
    #expect(problem?.from == 30)
    #expect(problem?.to == 50)
    #expect(problem?.byteCount == 4096)
    #expect(reading.summary.lostByteCount == 4096)
    #expect(reading.summary.lostSegmentCount == 1)
  }

  @Test("with a damaged header reports the lost bytes and their time")
  func spoiltHeader() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20])
    log.add(thread: 1, at: [30, 40])
    log.add(thread: 2, at: [15, 35])
    var bytes = log.bytes
    bytes[log.offsets[2]] ^= 1
    let reading = BinaryReading(bytes)
    #expect(
      reading.course == [
        "\(log.offsets[2]): 4096 bytes here are not part of a segment, and should be zero",
        "willChange 10", "willChange 15", "willChange 20", "willChange 35",
      ]
    )
    #expect(reading.summary.lostByteCount == 4096)
  }

  @Test("without its tables loses the events that need them, and keeps what needs a stack")
  func lostTables() {
    var log = ThreadedLog()
    log.addTable([Event(.process(ProcessInfo(pid: 7, executable: "/bin/app")))])
    let stack = log.names.id(of: [Frame(address: 16)])
    log.addTable([
      Event(
        .module(Module(path: "/lib", buildID: "", loadBias: 0, textStart: 1, textEnd: 9)),
        stack: stack
      )
    ])
    log.add(thread: 1, at: [10, 20])
    let whole = BinaryReading(log.bytes, names: log.names)
    #expect(whole.events.map(\.body.name) == ["process", "module", "willChange", "willChange"])
    #expect(whole.events[1].stack == stack)
    var bytes = log.bytes
    // The third segment of tables has "Account" and "k".
    bytes[log.offsets[2] + 70] ^= 1
    let reading = BinaryReading(bytes)
    #expect(
      reading.course == [
        "\(log.offsets[2]): table segment 2 is lost: its checksum is wrong", "process 0",
        "module 0",
        "\(log.offsets[3] + 64): an event names a string that is lost; it is left out",
      ]
    )
    #expect(reading.summary.stringlessEventCount == 2)
    #expect(!reading.summary.isWhole)
  }

  @Test("that lacks a segment of tables reports that first")
  func missingTable() {
    var log = ThreadedLog()
    log.addTable([Event(.process(ProcessInfo()))])
    log.skipTable()
    log.add(thread: 1, at: [10])
    #expect(
      BinaryReading(log.bytes).course == [
        "\(log.offsets[1]): segment 1 of the tables is missing", "process 0", "willChange 10",
      ]
    )
  }

  @Test("reports at the end what its recorder had no room for")
  func lostCount() {
    var log = ThreadedLog()
    log.lostCount = 17
    log.add(thread: 1, at: [10])
    let reading = BinaryReading(log.bytes)
    #expect(reading.events.last == Event(.dropped(count: 17, why: .none)))
    #expect(reading.summary.droppedEventCount == 17)
  }

  @Test("has its number among the log files")
  func part() {
    var log = ThreadedLog()
    log.part = 3
    #expect(BinaryReading(log.bytes).reader.header?.part == 3)
    #expect(BinaryReading(log.bytes).reader.header?.session == 7)
  }

  @Test("of a later version is refused as a whole")
  func laterVersion() {
    var header = BinaryFileHeader(isSerial: true, session: 1)
    header.version = 2
    let reading = BinaryReading(header.bytes + [UInt8](repeating: 7, count: 4096))
    #expect(reading.course == [])
    #expect(
      reading.reader.refusal?.message
        == "the log is written to version 2 of the binary form; this version reads versions up to 1"
    )
  }

  @Test("of a later schema is refused as a whole", arguments: [false, true])
  func laterSchema(isSerial: Bool) {
    let process = Event(.process(ProcessInfo(schema: 9)))
    var log = ThreadedLog()
    log.addTable([process])
    let bytes = isSerial ? BinaryReading.log([process], names: TraceNames()) : log.bytes
    let reading = BinaryReading(bytes)
    #expect(reading.events == [])
    #expect(
      reading.reader.refusal?.message
        == "the log is written to schema 9; this version reads schemas up to 1"
    )
  }

  @Test("without a readable header is read by the headers of its segments")
  func lostHeader() {
    var log = ThreadedLog()
    log.add(thread: 1, at: [10, 20])
    log.add(thread: 2, at: [15])
    var bytes = log.bytes
    bytes[20] ^= 1
    let reading = BinaryReading(bytes)
    #expect(order(reading) == ["1@10", "2@15", "1@20"])
    #expect(reading.problems.map(\.offset) == [0])
  }
}
