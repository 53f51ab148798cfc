import KVOHeap
import KVORules
import KVOText

/// The output of `kvo-audit heap diff`, as text and as JSON.
struct HeapDifferenceReport {
  let difference: HeapDifference
  let limit: Int
  let isOneProcess: Bool
  /// What was not read of the older and of the newer snapshot.
  let oldGaps: HeapSnapshot.Gaps
  let newGaps: HeapSnapshot.Gaps

  private static let holderLimit = 3

  var text: [UInt8] {
    var lines = [("older", oldGaps), ("newer", newGaps)].flatMap { which, gaps in
      gaps.texts.map { "Not all was read of the \(which) snapshot: \($0)." }
    }
    if !lines.isEmpty { lines.append("") }
    if !isOneProcess {
      lines += ["The snapshots are of different processes: all objects count as new.", ""]
    }
    for row in difference.grown.prefix(limit) {
      let bytes = Int64(truncatingIfNeeded: row.newByteCount &- row.oldByteCount)
      lines.append(
        "\(ShownText.escaped(row.name)): \(Wording.grouped(row.oldCount)) → "
          + "\(Wording.count(row.newCount, "object")), "
          + "\(bytes < 0 ? "" : "+")\(Wording.grouped(bytes)) bytes"
      )
      for holder in row.holders.prefix(Self.holderLimit) {
        lines.append(
          "  \(Wording.grouped(holder.count)) new held by \(ShownText.escaped(holder.name))"
        )
      }
    }
    lines += HeapReport.rest(difference.grown.count - limit, "class", "classes")
    if difference.grown.isEmpty { lines.append("no class grew") }
    let count = difference.shrunk.count
    if count > 0 { lines.append("\(Wording.count(count, "class", "classes")) with fewer objects") }
    return HeapReport.bytes(lines)
  }

  var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(1)
      text.key("isOneProcess")
      text.value(isOneProcess)
      for (name, gaps) in [("oldGaps", oldGaps), ("newGaps", newGaps)] {
        text.key(name)
        text.list(gaps.texts) { $0.value($1) }
      }
      for (name, rows) in [("grown", difference.grown), ("shrunk", difference.shrunk)] {
        text.key("\(name)Count")
        text.value(rows.count)
        text.key(name)
        text.list(Array(rows.prefix(limit))) { write($1, to: &$0) }
      }
    }
    text.end()
    return text.bytes
  }

  private func write(_ row: HeapDifference.Row, to text: inout JSONText) {
    text.object { text in
      text.key("class")
      text.value(row.name)
      text.key("oldObjects")
      text.value(row.oldCount)
      text.key("newObjects")
      text.value(row.newCount)
      text.key("oldBytes")
      text.value(row.oldByteCount)
      text.key("newBytes")
      text.value(row.newByteCount)
      text.key("holders")
      text.list(row.holders) { text, holder in
        text.object { text in
          text.key("holder")
          text.value(holder.name)
          text.key("objects")
          text.value(holder.count)
        }
      }
    }
  }
}
