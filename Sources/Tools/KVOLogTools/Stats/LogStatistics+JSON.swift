import KVOAudit
import KVOText
import KVOTrace
import KVOTraceBinary

extension LogStatistics {
  /// The figures of some logs as JSON, with a newline at the end.
  ///
  /// Keys that later versions add follow the others.
  package static func json(_ all: [LogStatistics]) -> [UInt8] {
    var json = JSONText()
    json.object { json in
      json.key("schema")
      json.value(1)
      json.key("inputs")
      json.list(all) { $0.write($1) }
    }
    json.end()
    return json.bytes
  }
}

extension JSONText {
  fileprivate mutating func write(_ log: LogStatistics) {
    object { json in
      json.key("path")
      json.value(log.label)
      json.key("kind")
      json.value(log.reading.kind.rawValue)
      json.key("events")
      json.value(log.reading.eventCount)
      json.key("bytes")
      json.value(log.reading.byteCount)
      json.key("byKind")
      json.list(log.rows) { $0.write($1) }
      json.key("threads")
      json.value(log.threadCount)
      json.key("strings")
      json.value(log.stringCount)
      json.key("stacks")
      json.value(log.stackCount)
      json.key("frames")
      json.value(log.frameCount)
      json.key("deepestStack")
      json.value(log.deepestFrameCount)
      json.key("timeline")
      json.write(log.timeline)
      json.key("dropped")
      json.value(log.droppedCount)
      json.key("damagedCount")
      json.value(log.reading.problemCount)
      json.key("lostBytes")
      json.value(log.reading.binary?.summary.lostByteCount)
      json.key("lostSegments")
      json.value(log.reading.binary?.summary.lostSegmentCount)
    }
  }

  private mutating func write(_ row: LogStatistics.Row) {
    object { json in
      json.key("event")
      json.value(row.event)
      json.key("count")
      json.value(row.count)
      json.key("bytes")
      json.value(row.byteCount)
    }
  }

  private mutating func write(_ timeline: Timeline) {
    guard let start = timeline.start else { return null() }
    object { json in
      json.key("start")
      json.value(start)
      json.key("span")
      json.value(timeline.span)
      json.key("counts")
      json.numbers(timeline.counts)
    }
  }
}
