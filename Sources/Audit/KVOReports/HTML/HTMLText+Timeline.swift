import KVORules
import KVOText

extension HTMLText {
  /// Draws the live registrations of a process, with its findings on them.
  ///
  /// Texts and marks are around the curve, so that they keep their size when it is narrow.
  mutating func write(_ drawing: TimelineDrawing, of name: String) {
    element("figure", ["class": "timeline"]) { page in
      page.line()
      page.element("figcaption") { page in
        page.element("b", text: name)
        page.text(" \(drawing.summary)")
      }
      page.line()
      page.element("ul", ["class": "counts quiet small", "aria-hidden": "true"]) { page in
        for tick in drawing.countTicks {
          let top = Self.number(tick.position)
          page.element("li", ["style": "top:\(top)px"], text: tick.text)
        }
        page.element("li", ["class": "widest"], text: drawing.countTicks.last?.text ?? "")
      }
      page.line()
      page.element("div", ["class": "field-of-marks"]) { page in
        page.writeMarks(drawing)
        page.writeCurve(drawing)
      }
      page.line()
      page.element("ul", ["class": "times-axis quiet small"]) { page in
        for tick in drawing.eventTicks { page.element("li", text: tick.text) }
      }
    }
    line()
  }

  private mutating func writeMarks(_ drawing: TimelineDrawing) {
    element("ol", ["class": "marks", "aria-label": "Findings on the timeline"]) { page in
      for mark in drawing.marks {
        let left = Self.number(100 * mark.x / TimelineDrawing.width)
        page.element("li", ["style": "left:\(left)%"]) { page in
          let more = mark.count > 1 ? ", and \(Wording.grouped(mark.count - 1)) more here" : ""
          let label = "\(mark.severity.rawValue) at \(mark.label)\(more)"
          page.element(
            "a",
            ["href": "#\(mark.signature)", "title": label, "aria-label": label]
          ) { page in page.sign(mark.severity.rawValue) }
        }
        page.line()
      }
    }
    line()
  }

  private mutating func writeCurve(_ drawing: TimelineDrawing) {
    let width = Self.number(TimelineDrawing.width)
    let height = Self.number(TimelineDrawing.height)
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": "plot", "viewBox": "0 0 \(width) \(height)", "preserveAspectRatio": "none",
      "role": "img", "aria-label": drawing.summary,
    ]
    element("svg", attributes) { page in
      for tick in drawing.countTicks {
        let y = Self.number(tick.position)
        page.path("grid", "M0 \(y)H\(width)")
      }
      let line = drawing.corners
        .map { "\(Self.number($0.x)) \(Self.number($0.y))" }.joined(separator: "L")
      if let first = drawing.corners.first, let last = drawing.corners.last {
        let area =
          "M\(Self.number(first.x)) \(height)L\(line)L\(Self.number(last.x)) \(height)z"
        page.path("area", area)
        page.path("line", "M\(line)")
      }
    }
    self.line()
  }
}
