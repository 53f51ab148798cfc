import KVORules
import KVOText

extension HTMLText {
  /// Writes a severity as a sign and a word.
  mutating func badge(_ severity: Severity) {
    element("span", ["class": "badge \(severity.rawValue)"]) { page in
      page.sign(severity.rawValue)
      page.text(" \(severity.rawValue)")
    }
  }

  /// Writes the sign of a severity, or `clean`; the word for it is next to it.
  mutating func sign(_ name: String) {
    element("svg", ["class": "sign \(name)", "aria-hidden": "true"]) { page in
      page.element("use", ["href": "#icon-\(name)"]) { _ in }
    }
  }

  /// Writes a stack, and the source around its first own frame if that is available.
  mutating func write(_ stack: Finding.Stack, isEvent: Bool, _ sources: SourceShelf) {
    element("section", ["class": "stack"]) { page in
      page.element("h4", text: stack.heading)
      if stack.frames.isEmpty {
        let event = stack.event > 0 && isEvent ? " (event \(Wording.grouped(stack.event)))" : ""
        page.element("p", ["class": "small"]) { page in
          let call = [stack.function, stack.site].compactMap(\.self).joined(separator: "  ")
          page.text(call.isEmpty ? "No stack was recorded\(event)." : call)
        }
      } else {
        page.write(stack.frames, site: stack.site, function: stack.function)
      }
      let own = stack.frames.first(where: \.isFirstOwn)
      if let own, let file = own.file, let excerpt = sources.excerpt(file, own.line) {
        page.write(excerpt)
      }
    }
    line()
  }

  private mutating func write(
    _ frames: [Finding.StackFrame],
    site: String?,
    function: String?
  ) {
    let isNamed = frames.contains(where: \.isFirstOwn)
    element("ol", ["class": "frames"]) { page in
      page.line()
      // Without symbols the user's frame cannot be found: the line from the compiler replaces it.
      if !isNamed, let site {
        page.frame(number: "", function: function ?? "(call)", location: site, isOwn: true)
      }
      for (number, frame) in frames.prefix(FindingSection.frameLimit).enumerated() {
        page.frame(
          number: "\(number)",
          function: frame.shownFunction,
          location: FindingText.location(of: frame),
          isOwn: frame.isFirstOwn
        )
      }
    }
    if frames.count > FindingSection.frameLimit {
      let count = Wording.count(frames.count - FindingSection.frameLimit, "more frame")
      element("p", ["class": "quiet small"], text: count)
    }
  }

  private mutating func frame(number: String, function: String, location: String, isOwn: Bool) {
    element("li", ["class": isOwn ? "own" : nil]) { page in
      page.element("span", ["class": "number"], text: number)
      page.element("span", ["class": "function"]) { $0.text(function, limit: 400) }
      if !location.isEmpty {
        page.element("span", ["class": "at"]) { $0.text(location, limit: 200) }
      }
    }
    line()
  }

  private mutating func write(_ excerpt: SourceExcerpt) {
    element("pre", ["class": "source", "role": "group", "tabindex": "0", "aria-label": "Source"]) {
      page in
      let width = String(excerpt.firstNumber + excerpt.lines.count - 1).count
      for (index, line) in excerpt.lines.enumerated() {
        let number = String(excerpt.firstNumber + index)
        let fill = String(repeating: " ", count: width - number.count)
        let isOwn = excerpt.firstNumber + index == excerpt.number
        page.element("code", ["class": isOwn ? "own" : nil]) { page in
          page.element("span", ["class": "line"], text: "\(fill)\(number)  ")
          page.text(line.isEmpty ? " " : line)
        }
      }
    }
  }
}
