import KVOHeap
import KVORules
import KVOText

/// What `kvo-audit heap --leaks` says.
extension HeapReport {
  var leaksText: [UInt8] {
    let leaks = HeapLeaks(of: snapshot)
    var lines = head + [""]
    for group in leaks.groups.prefix(limit) {
      lines.append(
        "\(Wording.count(group.count, "leak")), \(Wording.count(group.objectCount, "object")), "
          + "\(Wording.count(group.byteCount, "byte")), "
          + "one at \(HeapText.hexadecimal(group.address))"
      )
      lines.append("  " + Self.shown(group))
    }
    lines += Self.rest(leaks.groups.count - limit, "kind of leak", "kinds of leaks")
    guard !leaks.groups.isEmpty else {
      return Self.bytes(lines + ["no objects that nothing but they themselves owns"])
    }
    var table = ColumnTable([("leaked", .right), ("objects", .right), ("class", .left)])
    for row in leakedClasses(leaks).prefix(limit) {
      table.append([
        Wording.grouped(row.leakedCount), Wording.grouped(row.count), ShownText.escaped(row.name),
      ])
    }
    lines += [""] + table.lines
    if leaks.heldCount > 0 {
      lines += [
        "",
        "They alone lead to \(Wording.count(leaks.heldCount, "other object")) of "
          + Wording.count(leaks.heldByteCount, "byte"),
      ]
    }
    return Self.bytes(lines)
  }

  var leaksJSON: [UInt8] {
    let leaks = HeapLeaks(of: snapshot)
    return json { text in
      text.key("leakCount")
      text.value(leaks.groups.count)
      text.key("leaks")
      text.list(Array(leaks.groups.prefix(limit))) { text, group in
        text.object { text in
          text.key("cycle")
          text.value(group.text)
          text.key("count")
          text.value(group.count)
          text.key("objects")
          text.value(group.objectCount)
          text.key("bytes")
          text.value(group.byteCount)
          text.key("address")
          text.address(group.address)
        }
      }
      text.key("leakedClasses")
      text.list(leakedClasses(leaks)) { text, row in
        text.object { text in
          text.key("class")
          text.value(row.name)
          text.key("leaked")
          text.value(row.leakedCount)
          text.key("objects")
          text.value(row.count)
        }
      }
      text.key("heldObjects")
      text.value(leaks.heldCount)
      text.key("heldBytes")
      text.value(leaks.heldByteCount)
    }
  }

  /// Those of which most objects leaked first.
  private func leakedClasses(
    _ leaks: HeapLeaks
  ) -> [(name: String, leakedCount: Int, count: Int)] {
    var rows = snapshot.classes.map { (name: $0.fullName, leakedCount: 0, count: 0) }
    for (object, isLeaked) in zip(snapshot.objects, leaks.isLeaked) {
      rows[object.classIndex].count += 1
      if isLeaked { rows[object.classIndex].leakedCount += 1 }
    }
    return rows.filter { $0.leakedCount > 0 }
      .sorted { ($1.leakedCount, $0.name) < ($0.leakedCount, $1.name) }
  }
}
