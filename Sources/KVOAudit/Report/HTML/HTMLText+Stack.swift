import KVORules

extension HTMLText {
  /// Writes a severity as a sign and a word.
  mutating func badge(_ severity: Severity) {
    element("span", ["class": "badge \(severity.rawValue)"]) { page in
      page.sign(severity.rawValue)
      page.text(" \(severity.rawValue)")
    }
  }

  /// Writes the sign of a severity, or `clean`; the word for it stands beside.
  mutating func sign(_ name: String) {
    element("svg", ["class": "sign \(name)", "aria-hidden": "true"]) { page in
      page.element("use", ["href": "#icon-\(name)"]) { _ in }
    }
  }

  /// Writes a stack, and the source around its first own frame where that is at hand.
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
      // Without names nobody can tell the user's frame: the line that the compiler gave stands in.
      if !isNamed, let site {
        page.frame(number: "", function: function ?? "(call)", place: site, isOwn: true)
      }
      for (number, frame) in frames.prefix(FindingSection.frameLimit).enumerated() {
        page.frame(
          number: "\(number)",
          function: frame.shownFunction,
          place: FindingText.place(of: frame),
          isOwn: frame.isFirstOwn
        )
      }
    }
    if frames.count > FindingSection.frameLimit {
      let count = Wording.count(frames.count - FindingSection.frameLimit, "more frame")
      element("p", ["class": "quiet small"], text: count)
    }
  }

  private mutating func frame(number: String, function: String, place: String, isOwn: Bool) {
    element("li", ["class": isOwn ? "own" : nil]) { page in
      page.element("span", ["class": "number"], text: number)
      page.element("span", ["class": "function"]) { $0.text(function, limit: 400) }
      if !place.isEmpty {
        page.element("span", ["class": "at"]) { $0.text(place, limit: 200) }
      }
    }
    line()
  }

  private mutating func write(_ excerpt: SourceExcerpt) {
    element("pre", ["class": "source", "role": "group", "tabindex": "0", "aria-label": "Source"]) {
      page in
      let width = String(excerpt.firstNumber + excerpt.lines.count - 1).count
      for (place, line) in excerpt.lines.enumerated() {
        let number = String(excerpt.firstNumber + place)
        let fill = String(repeating: " ", count: width - number.count)
        let isOwn = excerpt.firstNumber + place == excerpt.number
        page.element("code", ["class": isOwn ? "own" : nil]) { page in
          page.element("span", ["class": "line"], text: "\(fill)\(number)  ")
          page.text(line.isEmpty ? " " : line)
        }
      }
    }
  }
}
