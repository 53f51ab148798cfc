import KVOText

extension HTMLText {
  /// Draws where registrations were made: a list of calls, each with those that it made under it.
  mutating func write(_ graph: FlameGraph) {
    element(
      "div",
      ["class": "flame", "role": "group", "tabindex": "0", "aria-label": "Registrations by call"]
    ) {
      page in
      page.line()
      page.write(graph.roots)
    }
    line()
  }

  private mutating func write(_ nodes: [FlameGraph.Node]) {
    if nodes.isEmpty { return }
    element("ul") { page in
      for node in nodes {
        page.element("li", ["style": "width:\(Self.number(100 * node.share))%"]) { page in
          page.write(node)
          page.write(node.children)
        }
        page.line()
      }
    }
  }

  private mutating func write(_ node: FlameGraph.Node) {
    let live = Double(node.liveCount) / Double(max(1, node.madeCount))
    let counts =
      "\(Wording.grouped(node.madeCount)) made, \(Wording.grouped(node.liveCount)) live"
    let name = [node.call.name, node.call.location].filter { !$0.isEmpty }.joined(separator: "  ")
    let shown =
      name.unicodeScalars.count > 120 ? String(name.unicodeScalars.prefix(120)) + "…" : name
    let style = "call" + (node.call.isFirstOwn ? " own" : "") + (node.isObserved ? " observed" : "")
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": style,
      "style": "--share:\(Self.number(100 * live))%",
      "title": "\(shown): \(counts)",
    ]
    element("span", attributes) { page in
      page.text(shown)
      page.element("span", ["class": "unseen"], text: ", \(counts)")
    }
  }
}
