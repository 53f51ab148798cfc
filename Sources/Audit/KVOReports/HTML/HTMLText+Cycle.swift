import KVORules

extension HTMLText {
  /// Draws a retain cycle.
  mutating func write(_ drawing: CycleDrawing) {
    element("figure") { page in
      page.element("h4", text: "What keeps it alive")
      page.element(
        "div",
        ["class": "drawing", "role": "group", "tabindex": "0", "aria-label": "Retain cycle"]
      ) { page in
        page.svg(width: drawing.width + 4, height: drawing.height, Self.words(drawing)) { page in
          for arrow in drawing.arrows { page.write(arrow, of: drawing) }
          for box in drawing.boxes { page.write(box, of: drawing) }
        }
      }
      if drawing.arrows.contains(where: \.isSuspected) {
        page.element("p", ["class": "quiet small"], text: "Dashed: suspected, not proven.")
      }
    }
    line()
  }

  /// Writes a picture that `words` describe to readers who do not see it.
  mutating func svg(
    width: Double,
    height: Double,
    _ words: String,
    _ content: (inout HTMLText) -> Void
  ) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "role": "img",
      "aria-label": words,
      "width": Self.number(width),
      "height": Self.number(height),
      "viewBox": "-2 -1 \(Self.number(width)) \(Self.number(height))",
    ]
    element("svg", attributes, content)
  }

  private static func words(_ drawing: CycleDrawing) -> String {
    let steps = drawing.arrows.map { arrow in
      "\(drawing.boxes[arrow.from].text) holds \(drawing.boxes[arrow.to].text) by \(arrow.label)"
    }
    return "A cycle of references: " + steps.joined(separator: "; ")
  }

  private mutating func write(_ box: CycleDrawing.Box, of drawing: CycleDrawing) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": box.isGap ? "box gap" : "box",
      "x": "0",
      "y": Self.number(box.y),
      "width": Self.number(drawing.boxWidth),
      "height": Self.number(CycleDrawing.boxHeight),
      "rx": "6",
    ]
    element("rect", attributes) { _ in }
    element(
      "text",
      [
        "x": Self.number(drawing.boxWidth / 2),
        "y": Self.number(box.y + CycleDrawing.boxHeight / 2 + 4.5),
        "text-anchor": "middle",
      ],
      text: box.text
    )
  }

  private mutating func write(_ arrow: CycleDrawing.Arrow, of drawing: CycleDrawing) {
    let isBack = arrow.to <= arrow.from
    let right = drawing.boxWidth
    let path: String
    let tip: String
    let label: (x: Double, y: Double)
    if isBack {
      // Out of the right side of the last box, up beside the others, into the right side of the first.
      let isLoop = arrow.to == arrow.from
      let from = drawing.middle(arrow.from) + (isLoop ? 8 : 0)
      let to = drawing.middle(arrow.to) - (isLoop ? 8 : 0)
      let far = right + CycleDrawing.detour - 16
      path =
        "M\(Self.number(right)) \(Self.number(from))H\(Self.number(far - 10))"
        + "Q\(Self.number(far)) \(Self.number(from)) \(Self.number(far)) \(Self.number(from - 8))"
        + "V\(Self.number(to + 8))"
        + "Q\(Self.number(far)) \(Self.number(to)) \(Self.number(far - 10)) \(Self.number(to))"
        + "H\(Self.number(right + 6))"
      tip = Self.tip(x: right, y: to, dx: 9, dy: 0)
      label = (far + 8, (from + to) / 2 + 4)
    } else {
      let x = right / 2
      let from = drawing.boxes[arrow.from].y + CycleDrawing.boxHeight
      let to = drawing.boxes[arrow.to].y
      path = "M\(Self.number(x)) \(Self.number(from))V\(Self.number(to - 6))"
      tip = Self.tip(x: x, y: to, dx: 0, dy: -9)
      label = (x + 10, (from + to) / 2 + 4)
    }
    self.path(arrow.isSuspected ? "edge suspected" : "edge", path)
    self.path("tip", tip)
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": "label", "x": Self.number(label.x), "y": Self.number(label.y),
    ]
    element("text", attributes, text: arrow.label)
  }

  /// A triangle that points to a position, coming from the direction of `dx` and `dy`.
  private static func tip(x: Double, y: Double, dx: Double, dy: Double) -> String {
    let base = (x: x + dx, y: y + dy)
    let side = (x: dy / 2, y: dx / 2)
    return "M\(number(x)) \(number(y))L\(number(base.x + side.x)) \(number(base.y + side.y))"
      + "L\(number(base.x - side.x)) \(number(base.y - side.y))z"
  }
}
