import KVORules
import KVOText

/// A retain cycle as boxes from top to bottom, with the last reference leading back to the first.
struct CycleDrawing: Hashable {
  /// How many objects are drawn; in a longer cycle, the middle is omitted.
  static let objectLimit = 16
  static let boxHeight = 34.0
  static let gap = 42.0
  /// The widest box, and the narrowest.
  static let boxWidths = 120.0...420.0
  /// The width of a letter.
  static let letterWidth = 7.6
  /// The distance of the back edge to the right of the boxes.
  static let detour = 46.0

  struct Box: Hashable {
    var y: Double
    var text: String
    /// Whether it represents omitted objects.
    var isGap = false
  }

  struct Arrow: Hashable {
    /// The indices of the boxes that it leads from and to.
    var from: Int
    var to: Int
    var label: String
    var isSuspected: Bool
  }

  let boxes: [Box]
  let arrows: [Arrow]
  let boxWidth: Double
  /// The right limit of the labels of arrows, and of the back edge.
  let width: Double
  let height: Double

  /// Lays out the edges of a cycle, from and back to its first object.
  init(_ cycle: [Finding.Edge]) {
    var objects = cycle.map(\.from)
    // Without a back edge it is a chain.
    if let last = cycle.last, last.to != cycle.first?.from { objects.append(last.to) }
    var texts = objects.map { Self.cut($0.description) }
    var arrows = cycle.enumerated().map { index, edge in
      Arrow(
        from: index,
        to: (index + 1) % objects.count,
        label: Self.cut(edge.label.isEmpty ? edge.strength : edge.label),
        isSuspected: edge.certainty == "suspected"
      )
    }
    var gapIndex: Int?
    if objects.count > Self.objectLimit {
      let head = Self.objectLimit / 2
      let tail = Self.objectLimit - head - 1
      let omitted = objects.count - head - tail
      let isClosed = arrows.count == objects.count
      gapIndex = head
      texts =
        texts.prefix(head) + ["… \(Wording.count(omitted, "more object"))"]
        + texts.suffix(tail)
      // Up to the gap, from it to the next box, and on.
      arrows = Array(arrows.prefix(head) + arrows[(objects.count - tail - 1)...])
      for index in arrows.indices {
        arrows[index].from = index
        arrows[index].to = index + 1
      }
      if isClosed { arrows[arrows.count - 1].to = 0 }
    }
    boxes = texts.enumerated().map { index, text in
      Box(y: Double(index) * (Self.boxHeight + Self.gap), text: text, isGap: index == gapIndex)
    }
    self.arrows = arrows
    let longest = texts.map(\.count).max() ?? 0
    let fitting = Double(longest) * Self.letterWidth + 24
    boxWidth = min(max(fitting, Self.boxWidths.lowerBound), Self.boxWidths.upperBound)
    let back = Double(arrows.last?.label.count ?? 0) * Self.letterWidth
    let down = arrows.dropLast().map(\.label.count).max() ?? 0
    width = max(
      boxWidth + Self.detour + back + 16,
      boxWidth / 2 + Double(down) * Self.letterWidth + 24
    )
    height = Double(boxes.count) * (Self.boxHeight + Self.gap) - Self.gap + 2
  }

  /// The middle of a box.
  func middle(_ index: Int) -> Double { boxes[index].y + Self.boxHeight / 2 }

  private static func cut(_ text: String) -> String {
    let shown = ShownText.escaped(String(text.unicodeScalars.prefix(60)))
    let limit = Int(boxWidths.upperBound / letterWidth) - 4
    return shown.count > limit || text.unicodeScalars.count > 60
      ? String(shown.prefix(limit - 1)) + "…" : shown
  }
}
