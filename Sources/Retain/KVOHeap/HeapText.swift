/// The texts of paths through a snapshot.
package enum HeapText {
  /// `Screen.rows → Row.screen → Screen`; an edge that is not proven is `⇢`.
  package static func text(
    of steps: [HeapPath.Step],
    to target: Int,
    in snapshot: HeapSnapshot
  ) -> String {
    text(of: steps[...], in: snapshot) + snapshot.classOf(target).name
  }

  private static func text(of steps: ArraySlice<HeapPath.Step>, in snapshot: HeapSnapshot) -> String
  {
    var text = ""
    for step in steps {
      let edge = snapshot.edges[step.edge]
      text += snapshot.classOf(step.object).name
      if !edge.label.isEmpty { text += (edge.label.hasPrefix("[") ? "" : ".") + edge.label }
      text += edge.isProven ? " → " : " ⇢ "
    }
    return text
  }

  /// The ends of a long path.
  package struct Ends: Hashable, Sendable {
    /// The first steps: `Screen.rows → Row.next → `.
    package var head: String
    /// How many objects are between the two.
    package var leftOutCount: Int
    /// The last steps: `Row.screen → Screen`.
    package var tail: String
  }

  /// How many steps of a long path ``ends(of:to:in:)`` has at each end.
  private static let endStepCount = 10

  /// The ends of a path of more than 20 steps; nil for a shorter one.
  package static func ends(
    of steps: [HeapPath.Step],
    to target: Int,
    in snapshot: HeapSnapshot
  ) -> Ends? {
    let leftOutCount = steps.count - 2 * endStepCount
    guard leftOutCount > 0 else { return nil }
    return Ends(
      head: text(of: steps.prefix(endStepCount), in: snapshot),
      leftOutCount: leftOutCount,
      tail: text(of: Array(steps.suffix(endStepCount)), to: target, in: snapshot)
    )
  }

  /// The same, beginning with the root.
  package static func text(of path: HeapPath, in snapshot: HeapSnapshot) -> String {
    let root = path.root
    let location = root.address == 0 ? "" : " \(hexadecimal(root.address))"
    return "\(root.kind.name)\(location) → "
      + text(of: path.steps, to: path.target, in: snapshot)
  }

  package static func hexadecimal(_ address: UInt64) -> String {
    "0x\(String(address, radix: 16))"
  }
}

extension HeapSnapshot.Gaps {
  /// The reasons as sentences say them.
  package var texts: [String] {
    var texts: [String] = []
    if contains(.changingHeap) { texts.append("another thread changed a heap meanwhile") }
    if contains(.hugeMapping) { texts.append("there is a mapping of 16 GiB or more") }
    if contains(.outOfTime) { texts.append("there was no time for all roots") }
    if contains(.numbers) { texts.append("another thread was using the table of observed objects") }
    return texts
  }
}
