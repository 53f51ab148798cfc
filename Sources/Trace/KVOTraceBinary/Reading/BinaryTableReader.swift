import KVOTrace

/// Reads the table segments of a log, before any event.
struct BinaryTableReader {
  let tables: BinaryTables
  /// The events that are among the tables: of the process and its images.
  private(set) var events: [Event] = []
  private(set) var problems: [BinaryLogProblem] = []

  private let loader: SegmentLoader
  private let clock: LogClock
  private let isSerial: Bool

  init(_ source: any BinaryLogBytes, names: TraceNames, clock: LogClock, isSerial: Bool) {
    tables = BinaryTables(names: names)
    loader = SegmentLoader(source)
    self.clock = clock
    self.isSerial = isSerial
  }

  /// Reads all of `entries` and counts them in `summary`.
  ///
  /// Complexity: O(bytes).
  mutating func read(_ entries: [SegmentIndex.Entry], _ summary: inout BinaryLogSummary) {
    for run in SegmentRun.runs(of: entries) {
      if let problem = run.problem(of: "the tables", clock, from: nil) {
        problems.append(problem)
        summary.lostSegmentCount += run.missingCount
      }
      guard !run.isRepeated else { continue }
      read(run.entry, &summary)
    }
  }

  private mutating func read(_ entry: SegmentIndex.Entry, _ summary: inout BinaryLogSummary) {
    var records: SegmentRecords
    switch loader.load(entry) {
    case .lost(let why):
      summary.lostSegmentCount += 1
      lose(
        entry,
        0,
        entry.availableByteCount,
        "table segment \(entry.header.index) is lost: \(why)"
      )
      summary.lostByteCount += entry.availableByteCount
      return
    case .sealed(let bytes):
      records = begin(bytes, leastByteCount: nil, entry)
    case .open(let bytes, let least):
      records = begin(bytes, leastByteCount: least, entry)
    }
    let flaw = readRecords(&records, entry)
    if let flaw {
      lose(
        entry,
        BinaryFormat.segmentHeaderByteCount + records.recordOffset,
        flaw.byteCount,
        flaw.message
      )
      summary.lostByteCount += flaw.byteCount
    } else if entry.isCut, entry.header.checksum == 0 {
      lose(
        entry,
        entry.availableByteCount,
        0,
        "the log ends inside table segment \(entry.header.index)"
      )
    }
    switch (flaw?.isTail ?? true, entry.header.checksum != 0) {
    case (false, _): summary.partSegmentCount += 1
    case (true, true): summary.wholeSegmentCount += 1
    case (true, false): summary.openSegmentCount += 1
    }
  }

  private func begin(
    _ bytes: UnsafeRawBufferPointer,
    leastByteCount: Int?,
    _ entry: SegmentIndex.Entry
  ) -> SegmentRecords {
    SegmentRecords(
      bytes,
      leastByteCount: leastByteCount,
      header: entry.header,
      tables: tables
    )
  }

  private struct Flaw {
    var byteCount: Int
    var message: String
    /// Whether the records before it are all that were finished.
    var isTail = false
  }

  private mutating func readRecords(
    _ records: inout SegmentRecords,
    _ entry: SegmentIndex.Entry
  ) -> Flaw? {
    let name = "table segment \(entry.header.index)"
    while true {
      switch records.head() {
      case .end: return nil
      case .tornEnd(let byteCount):
        return Flaw(
          byteCount: byteCount,
          message: "\(name) ends in the middle of a record",
          isTail: true
        )
      case .malformed(let byteCount):
        return Flaw(byteCount: byteCount, message: "no record stands here in \(name)")
      case .definition(let kind):
        do throws(BinaryTables.Flaw) {
          try tables.take(kind, &records.decoder)
        } catch {
          switch error {
          case .malformed:
            return Flaw(
              byteCount: records.leftOverByteCount,
              message: "no definition stands here in \(name)"
            )
          case .contradiction:
            lose(
              entry,
              BinaryFormat.segmentHeaderByteCount + records.recordOffset,
              0,
              "a number is defined a second time here, as something else; the first counts"
            )
          }
        }
      case .event:
        records.decoder.refreshTables()
        let time = records.isTimed ? clock.nanoseconds(of: records.tick) : nil
        switch records.event(time: time, into: &events) {
        case .whole, .stackless:
          guard let event = events.last, !isTableEvent(event) else { continue }
          events.removeLast()
          return Flaw(
            byteCount: records.leftOverByteCount,
            message: "\(name) holds an event that belongs elsewhere"
          )
        case .lost:
          lose(
            entry,
            BinaryFormat.segmentHeaderByteCount + records.recordOffset,
            0,
            "an event names a lost string"
          )
        case .malformed:
          return Flaw(
            byteCount: records.leftOverByteCount,
            message: "no event can be decoded here in \(name)"
          )
        }
      }
    }
  }

  private func isTableEvent(_ event: Event) -> Bool {
    guard !isSerial else { return false }
    switch event.body {
    case .process, .module: return true
    default: return false
    }
  }

  private mutating func lose(
    _ entry: SegmentIndex.Entry,
    _ offset: Int,
    _ byteCount: Int,
    _ message: String
  ) {
    problems.append(
      BinaryLogProblem(offset: entry.offset + offset, byteCount: byteCount, message: message)
    )
  }
}
