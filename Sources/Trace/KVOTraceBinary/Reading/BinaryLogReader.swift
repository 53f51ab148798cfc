package import KVOTrace

/// Reads the binary form of a log (`Documentation/BinaryLogFormat.md`) as events in their order.
///
/// For any bytes, it terminates and reports what it could not read. Memory is that of the tables, of one segment for
/// each thread, and of what the log's headers take. Not synchronized.
package final class BinaryLogReader {
  /// The result of ``next(into:)``.
  package enum Step: Hashable, Sendable {
    /// At least one event.
    case events
    /// A loss, after the events so far and before those to come.
    case problem(BinaryLogProblem)
    case end
  }

  /// The content of the first page, or nil if it is damaged.
  package let header: BinaryFileHeader?
  /// Why the log as a whole is refused: it is written to a later version.
  package private(set) var refusal: BinaryLogProblem?
  /// The names for the ids of the events.
  package var names: TraceNames { tables.names }
  /// How many segments there are, of tables and of events.
  package let segmentCount: Int
  package let byteCount: Int

  /// The maximum number of events of a step.
  private static let batchCount = 512

  private let isSerial: Bool
  private let tables: BinaryTables
  private let tally = ReadingTally()
  private var heap = StreamHeap([])
  private var tableEvents: [Event]
  private var problems: ArraySlice<BinaryLogProblem>
  private var hasEnded = false

  /// Finds the segments of a log and reads its tables.
  ///
  /// Complexity: O(bytes of the tables, segments, bytes outside of segments).
  ///
  /// - Parameters:
  ///   - source: the log.
  ///   - names: names that are known already; the log's are added to them.
  package init(_ source: any BinaryLogBytes, names: TraceNames = TraceNames()) {
    byteCount = source.byteCount
    let page = SegmentBuffer()
    page.load(source, at: 0, count: min(byteCount, BinaryFileHeader.usedByteCount))
    var found: [BinaryLogProblem] = []
    do throws(BinaryFileHeader.Flaw) {
      header = try BinaryFileHeader(page.bytes)
    } catch {
      header = nil
      found.append(
        BinaryLogProblem(
          offset: 0,
          byteCount: min(byteCount, BinaryFormat.pageByteCount),
          message: error == .cut
            ? "the log ends inside its header"
            : "the header is damaged: which log this is part of, and how long a tick is, is not known"
        )
      )
      tally.summary.lostByteCount += min(byteCount, BinaryFormat.pageByteCount)
    }
    if let version = header?.version, version > BinaryFormat.version {
      refusal = BinaryLogProblem(
        offset: BinaryFormat.magic.count,
        message: "the log is written to version \(version) of the binary form; this version reads "
          + "versions up to \(BinaryFormat.version)"
      )
    }
    var index =
      refusal == nil
      ? SegmentIndex(source, byteCount: byteCount, length: header?.account?.length)
      : SegmentIndex(BinaryLogMemory([]), byteCount: 0)
    segmentCount = index.entries.count
    if refusal == nil, let header, let problem = Self.cut(header, index, byteCount) {
      tally.summary.cutAt = byteCount
      found.append(problem)
    }
    tally.summary.end = header?.account?.end
    tally.summary.knowsLength = header?.isSerial != false || header?.account != nil
    isSerial = header?.isSerial ?? Self.looksSerial(index.entries)
    let clock = Self.clock(header, index.entries)
    for region in index.assignRegions(isSerial: isSerial) {
      tally.summary.lostByteCount += region.byteCount
      found.append(BinaryLogProblem(region, from: nil))
    }
    let tableEntries = index.entries.filter { $0.header.type == .tables }
    var tableReader = BinaryTableReader(source, names: names, clock: clock, isSerial: isSerial)
    tableReader.read(tableEntries, &tally.summary)
    tables = tableReader.tables
    tableEvents = tableReader.events
    tally.readByteCount = tableEntries.reduce(min(byteCount, BinaryFormat.pageByteCount)) {
      $0 + $1.availableByteCount
    }
    problems = (found + tableReader.problems)[...]
    tableEvents.forEach(tally.note)
    refuse()
    if refusal == nil { heap = StreamHeap(streams(index.entries, source, clock)) }
  }

  /// Replaces the content of `events` by the next events, in order.
  ///
  /// Complexity: O(bytes of the events); O(log threads) for each change of the thread.
  ///
  /// - Parameter events: is reused; only lists inside of events are allocated.
  /// - Returns: the kind of the result. With ``Step/problem(_:)`` and ``Step/end`` there are no events.
  package func next(into events: inout [Event]) -> Step {
    events.removeAll(keepingCapacity: true)
    guard refusal == nil else { return .end }
    if let problem = problems.popFirst() { return .problem(problem) }
    if !tableEvents.isEmpty {
      swap(&events, &tableEvents)
      tableEvents = []
      return count(&events)
    }
    while let stream = heap.first {
      if stream.position == .closed {
        stream.open()
        heap.update()
        continue
      }
      if stream.position == .problem {
        if !events.isEmpty { break }
        let problem = stream.takeProblem()
        heap.update()
        return .problem(problem)
      }
      let limit = heap.limit
      stream.decode(
        into: &events,
        upTo: limit.key,
        includesLimit: limit.isIncluded,
        count: Self.batchCount
      )
      heap.update()
      if events.count >= Self.batchCount { break }
    }
    if events.isEmpty { addUnreportedLoss(to: &events) }
    return count(&events)
  }

  /// What could be read so far, and what could not; complete after ``Step/end``.
  package var summary: BinaryLogSummary { tally.summary }

  /// How many bytes were read, of ``byteCount``.
  package var readByteCount: Int { tally.readByteCount }
}

/// Counts that are added up over the files of one log.
final class ReadingTally {
  var summary = BinaryLogSummary()
  var readByteCount = 0
  /// The schema of a later grammar that an event names, if one does.
  private(set) var laterSchema: Int?

  /// Handles an event that concerns the whole log.
  func note(_ event: Event) {
    switch event.body {
    case .dropped(let count, _):
      summary.droppedEventCount = summary.droppedEventCount.addingSaturated(count)
    case .process(let process) where process.schema > ProcessInfo.schema:
      laterSchema = process.schema
    default: break
    }
  }
}

// MARK: - Where a log was cut

extension BinaryLogReader {
  /// The problem of a file that ends in the middle of its log; nil: apparently it does not.
  ///
  /// Pages and segments are claimed as a whole, even by a process that is killed. A recorder describes its process
  /// before anything else.
  private static func cut(
    _ header: BinaryFileHeader,
    _ index: SegmentIndex,
    _ byteCount: Int
  ) -> BinaryLogProblem? {
    if let length = header.account?.length, length > UInt64(byteCount) {
      return BinaryLogProblem(
        offset: byteCount,
        byteCount: Int(clamping: length - UInt64(byteCount)),
        message: "the file ends in the middle of the log, which has \(length) bytes: it was cut, "
          + "or is still being copied"
      )
    }
    // A log that had no space for anything records its losses in its header.
    let isEmpty =
      header.account == nil && index.entries.isEmpty && index.regions.isEmpty && !header.isSerial
      && header.lostCount == 0
    let isPartial =
      byteCount % BinaryFormat.pageByteCount != 0 || index.entries.contains(where: \.isCut)
    guard isEmpty || isPartial else { return nil }
    return BinaryLogProblem(
      offset: byteCount,
      message: isEmpty
        ? "the file ends after the header, before anything that was recorded: it was cut, or the process "
          + "was killed as it began"
        : "the file ends in the middle of the log: it was cut, or is still being copied"
    )
  }
}

// MARK: - Making

extension BinaryLogReader {
  /// How a log without a readable header is treated: converters give segments no time.
  private static func looksSerial(_ entries: [SegmentIndex.Entry]) -> Bool {
    entries.allSatisfy { $0.header.thread == 0 && $0.header.base == BinaryFileHeader.Moment() }
  }

  private static func clock(
    _ header: BinaryFileHeader?,
    _ entries: [SegmentIndex.Entry]
  ) -> LogClock {
    var moments = entries.map(\.header.base)
    if let header { moments.append(header.later) }
    let isEarlier = { (left: BinaryFileHeader.Moment, right: BinaryFileHeader.Moment) in
      left.tick < right.tick
    }
    let zero = BinaryFileHeader.Moment()
    return LogClock(
      start: header?.start ?? moments.min(by: isEarlier) ?? zero,
      later: moments.max(by: isEarlier) ?? zero
    )
  }

  /// The streams of the event segments, by thread, lower ids first.
  private func streams(
    _ entries: [SegmentIndex.Entry],
    _ source: any BinaryLogBytes,
    _ clock: LogClock
  ) -> [SegmentStream] {
    let events = entries.filter { $0.header.type == .events }
    let byThread = Dictionary(grouping: events) { isSerial ? 0 : $0.header.thread }
    return byThread.sorted { $0.key < $1.key }.map { thread, entries in
      SegmentStream(
        entries,
        name: Self.name(ofThread: thread, tables),
        source: source,
        tables: tables,
        clock: clock,
        tally: tally
      )
    }
  }

  private static func name(ofThread thread: UInt64, _ tables: BinaryTables) -> String {
    guard thread > 0 else { return "the events" }
    let id = thread - 1
    guard id & BinaryFormat.IDTag.mask == BinaryFormat.IDTag.text else {
      return "thread \(id >> 2)"
    }
    let string = tables.strings[id >> 2]
    return string == NumberMap.missing
      ? "a thread" : "thread \"\(tables.names[StringID(rawValue: string)])\""
  }
}

// MARK: - Counting

extension BinaryLogReader {
  private func count(_ events: inout [Event]) -> Step {
    if events.isEmpty { return .end }
    refuse()
    guard refusal == nil else {
      events.removeAll()
      return .end
    }
    tally.summary.eventCount += events.count
    if tally.summary.firstTime == nil {
      tally.summary.firstTime = events.first { $0.time != nil }?.time
    }
    tally.summary.lastTime = events.last { $0.time != nil }?.time ?? tally.summary.lastTime
    return .events
  }

  /// The recorder's count of lost events is ahead of the count that it had space to write.
  private func addUnreportedLoss(to events: inout [Event]) {
    guard !hasEnded else { return }
    hasEnded = true
    guard let lost = header?.lostCount, lost > tally.summary.droppedEventCount else { return }
    let event = Event(.dropped(count: lost - tally.summary.droppedEventCount, why: .none))
    tally.note(event)
    events.append(event)
  }

  /// Refuses the log if an event said that it follows a later grammar.
  private func refuse() {
    guard refusal == nil, let schema = tally.laterSchema else { return }
    refusal = BinaryLogProblem(
      offset: 0,
      message: ProcessInfo.refusal(ofSchema: schema)
    )
  }
}
