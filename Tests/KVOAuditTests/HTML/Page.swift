import Foundation

/// A page as a test reads it: tags and ids, without a browser.
struct Page {
  let html: String

  init(_ bytes: [UInt8]) { html = String(decoding: bytes, as: UTF8.self) }

  /// The page without what stands in its style and script.
  private var markup: String {
    html.replacing(#/<style>.*?<\/style>/#.dotMatchesNewlines(), with: "<style></style>")
      .replacing(#/<script>.*?<\/script>/#.dotMatchesNewlines(), with: "<script></script>")
  }

  /// What stands between the tags.
  var text: String {
    markup.replacing(#/<[^>]*>/#, with: "")
  }

  /// The elements that are not closed, or closed without being open; empty in a sound page.
  var unbalanced: [String] {
    let voids: Set = ["meta", "input", "br"]
    var open: [String] = []
    for tag in markup.matches(of: #/<(\/?)([a-z0-9]+)[^>]*>/#) {
      let name = String(tag.output.2)
      if tag.output.1.isEmpty {
        if !voids.contains(name) { open.append(name) }
      } else if open.last == name {
        open.removeLast()
      } else {
        return open + ["/" + name]
      }
    }
    return open
  }

  var ids: [String] { markup.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) } }
  var links: [String] { markup.matches(of: #/ href="([^"]*)"/#).map { String($0.output.1) } }

  /// The headings of the sections, in their order.
  var sections: [String] {
    markup.matches(of: #/<h2[^>]*>([^<]*)</#).map { String($0.output.1) }
  }

  /// The names of all elements that stand somewhere.
  var elements: Set<String> {
    Set(markup.matches(of: #/<([a-zA-Z0-9]+)/#).map { String($0.output.1) })
  }
}
