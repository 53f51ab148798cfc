import KVOHeap
import KVORules
import KVOText

/// The objects that `--path` selects.
struct HeapTarget {
  /// The argument.
  let name: String
  let matchCount: Int
  let isMeant: (Int) -> Bool

  /// - Parameters:
  ///   - name: a class, with or without its module, or an address in hexadecimal digits that is in
  ///     an object.
  ///   - snapshot: the snapshot to search.
  init(_ name: String, in snapshot: HeapSnapshot) {
    self.name = name
    if name.hasPrefix("0x"), let address = UInt64(name.dropFirst(2), radix: 16) {
      let found = snapshot.objects.firstIndex {
        $0.address <= address && address - $0.address < $0.byteCount
      }
      matchCount = found == nil ? 0 : 1
      isMeant = { $0 == found }
    } else {
      let isMeant = snapshot.classes.map { $0.name == name || $0.fullName == name }
      matchCount = snapshot.objects.count { isMeant[$0.classIndex] }
      self.isMeant = { isMeant[snapshot.objects[$0].classIndex] }
    }
  }
}

/// The output of `kvo-audit heap` for one snapshot, as text and as JSON.
struct HeapReport {
  let snapshot: HeapSnapshot
  let dominators: Dominators
  let limit: Int

  init(of snapshot: HeapSnapshot, limit: Int) {
    self.snapshot = snapshot
    self.limit = limit
    dominators = Dominators(of: snapshot)
  }

  private var byteCount: UInt64 { snapshot.objects.reduce(0) { $0 &+ $1.byteCount } }
  private var unreachedCount: Int { dominators.nearest.count { $0 < 0 } }

  static func bytes(_ lines: [String]) -> [UInt8] {
    Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  static func rest(_ count: Int, _ what: String, _ plural: String? = nil) -> [String] {
    count > 0 ? ["… and \(Wording.count(count, what, plural)) more: --limit 0 lists all"] : []
  }

  // MARK: Text

  var head: [String] {
    let gaps = snapshot.gaps.texts.map { "Not all was read: \($0)." }
    return [
      "\(ShownText.escaped(snapshot.processName)) (process \(snapshot.processID)): "
        + "\(Wording.count(snapshot.objects.count, "object")), \(Wording.count(byteCount, "byte")), "
        + "\(Wording.count(snapshot.edges.count, "reference")), "
        + Wording.count(snapshot.roots.count, "root")
    ] + gaps
  }

  /// Classes by retained size.
  var classesText: [UInt8] {
    let rows = HeapClasses(of: snapshot, dominators).rows
    var table = ColumnTable([
      ("retained", .right), ("bytes", .right), ("objects", .right), ("unreached", .right),
      ("class", .left),
    ])
    for row in rows.prefix(limit) {
      table.append([
        Wording.grouped(row.retainedByteCount), Wording.grouped(row.byteCount),
        Wording.grouped(row.count), Wording.grouped(row.unreachedCount),
        ShownText.escaped(row.fullName),
      ])
    }
    var lines = head + [""] + table.lines + Self.rest(rows.count - limit, "class", "classes")
    if unreachedCount > 0 {
      lines += ["", "\(Wording.count(unreachedCount, "object")) that no root leads to"]
    }
    return Self.bytes(lines)
  }

  var cyclesText: [UInt8] {
    let groups = HeapCycles(of: snapshot, dominators).groups
    var lines = head + [""]
    for group in groups.prefix(limit) {
      lines.append(
        "\(Wording.count(group.count, "cycle")), \(Wording.count(group.objectCount, "object")), "
          + "\(Wording.count(group.byteCount, "byte"))"
          + (group.unreachedCount > 0 ? ", \(Wording.grouped(group.unreachedCount)) unreached" : "")
          + ", one at \(HeapText.hexadecimal(group.address))"
      )
      lines.append("  " + Self.shown(group))
    }
    if groups.isEmpty { lines.append("no cycle of proven references") }
    return Self.bytes(lines + Self.rest(groups.count - limit, "kind of cycle", "kinds of cycles"))
  }

  /// A cycle, without the middle of a long one.
  static func shown(_ group: HeapCycles.Group) -> String {
    guard let ends = group.ends else { return ShownText.escaped(group.text) }
    let count = Wording.count(ends.leftOutCount, "object")
    return ShownText.escaped(ends.head) + "… \(count) left out: --format json has all … "
      + ShownText.escaped(ends.tail)
  }

  func text(pathTo target: HeapTarget) -> [UInt8] {
    var finder = PathFinder(snapshot)
    let matches = Wording.count(target.matchCount, "object")
    var lines = head + [""]
    guard let path = finder.path(to: target.isMeant) else {
      lines.append("\(ShownText.escaped(target.name)): no root leads to any of \(matches)")
      return Self.bytes(lines)
    }
    lines.append("\(ShownText.escaped(target.name)): the nearest of \(matches)")
    lines.append("\(path.root.kind.name)\(location(of: path.root))")
    var arrow = path.root.kind == .global ? "→" : "⇢"
    var label = ""
    var hasSuspected = false
    let objects = path.steps.map(\.object) + [path.target]
    let hidden = Self.hidden(of: objects.count)
    for (index, object) in objects.enumerated() {
      if let hidden, hidden.contains(index) {
        if index == hidden.lowerBound {
          let count = Wording.count(hidden.count, "object")
          lines.append("  … \(count) left out: --format json has all")
        }
        let edge = snapshot.edges[path.steps[index].edge]
        arrow = edge.isProven ? "→" : "⇢"
        label = edge.label.isEmpty ? "" : ShownText.escaped(edge.label) + " "
        continue
      }
      hasSuspected = hasSuspected || arrow == "⇢"
      let found = snapshot.objects[object]
      lines.append(
        "  \(label)\(arrow) \(ShownText.escaped(snapshot.classOf(object).fullName)) "
          + "\(HeapText.hexadecimal(found.address)) (\(Wording.count(found.byteCount, "byte")))"
      )
      guard path.steps.indices.contains(index) else { continue }
      let edge = snapshot.edges[path.steps[index].edge]
      arrow = edge.isProven ? "→" : "⇢"
      label = edge.label.isEmpty ? "" : ShownText.escaped(edge.label) + " "
    }
    if hasSuspected { lines.append("⇢ is a word that may be a reference, or what one left") }
    return Self.bytes(lines)
  }

  /// How many objects of a long path are shown at each of its ends.
  static let shownEndCount = 20

  /// The objects of a path of `count` that are not shown; nil: all are.
  private static func hidden(of count: Int) -> Range<Int>? {
    count > 2 * shownEndCount ? shownEndCount..<count - shownEndCount : nil
  }

  private func location(of root: HeapSnapshot.Root) -> String {
    guard root.address > 0 else { return "" }
    let image = snapshot.images.last { $0.start <= root.address }
    let name = image?.path.split(separator: "/").last.map(String.init) ?? ""
    let isGlobal = root.kind == .global && !name.isEmpty
    return " at \(HeapText.hexadecimal(root.address))"
      + (isGlobal ? " in \(ShownText.escaped(name))" : "")
  }

  // MARK: JSON

  func json(_ body: (inout JSONText) -> Void) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(1)
      text.key("process")
      text.value(snapshot.processName)
      text.key("pid")
      text.value(Int(snapshot.processID))
      text.key("time")
      text.value(snapshot.time)
      text.key("objects")
      text.value(snapshot.objects.count)
      text.key("bytes")
      text.value(byteCount)
      text.key("unreached")
      text.value(unreachedCount)
      text.key("gaps")
      text.list(snapshot.gaps.texts) { $0.value($1) }
      body(&text)
    }
    text.end()
    return text.bytes
  }

  var classesJSON: [UInt8] {
    let rows = HeapClasses(of: snapshot, dominators).rows
    return json { text in
      text.key("classCount")
      text.value(rows.count)
      text.key("classes")
      text.list(Array(rows.prefix(limit))) { text, row in
        text.object { text in
          text.key("class")
          text.value(row.name)
          text.key("module")
          text.value(row.module.isEmpty ? nil : row.module)
          text.key("objects")
          text.value(row.count)
          text.key("bytes")
          text.value(row.byteCount)
          text.key("retained")
          text.value(row.retainedByteCount)
          text.key("unreached")
          text.value(row.unreachedCount)
        }
      }
    }
  }

  var cyclesJSON: [UInt8] {
    let groups = HeapCycles(of: snapshot, dominators).groups
    return json { text in
      text.key("cycleCount")
      text.value(groups.count)
      text.key("cycles")
      text.list(Array(groups.prefix(limit))) { text, group in
        text.object { text in
          text.key("cycle")
          text.value(group.text)
          text.key("count")
          text.value(group.count)
          text.key("objects")
          text.value(group.objectCount)
          text.key("bytes")
          text.value(group.byteCount)
          text.key("unreached")
          text.value(group.unreachedCount)
          text.key("address")
          text.address(group.address)
        }
      }
    }
  }

  func json(pathTo target: HeapTarget) -> [UInt8] {
    var finder = PathFinder(snapshot)
    let path = finder.path(to: target.isMeant)
    return json { text in
      text.key("target")
      text.value(target.name)
      text.key("matches")
      text.value(target.matchCount)
      text.key("path")
      guard let path else { return text.null() }
      text.object { text in
        text.key("root")
        text.object { text in
          text.key("kind")
          text.value(path.root.kind.name)
          text.key("address")
          text.address(path.root.address == 0 ? nil : path.root.address)
        }
        text.key("objects")
        let edges = path.steps.map { $0.edge as Int? } + [nil]
        let objects = path.steps.map(\.object) + [path.target]
        text.list(Array(zip(objects, edges))) { text, step in
          text.object { text in
            text.key("class")
            text.value(snapshot.classOf(step.0).name)
            text.key("address")
            text.address(snapshot.objects[step.0].address)
            text.key("bytes")
            text.value(snapshot.objects[step.0].byteCount)
            guard let edge = step.1.map({ snapshot.edges[$0] }) else { return }
            text.key("reference")
            text.value(edge.label.isEmpty ? nil : edge.label)
            text.key("isProven")
            text.value(edge.isProven)
          }
        }
      }
    }
  }
}
