/// A page as a test reads it: tags and texts, without a browser.
struct Page {
  struct Tag: Hashable {
    var name: String
    var isEnd = false
    /// Whether it ends itself, as a shape in a drawing may.
    var isWhole = false
    var attributes: [String: String] = [:]
  }

  let html: String
  private(set) var tags: [Tag] = []
  /// What stands between the tags, as it is shown, without style and script.
  private(set) var text = ""
  private(set) var script = ""

  private static let voids: Set = ["meta", "input", "br", "!DOCTYPE"]

  init(_ bytes: [UInt8]) {
    html = String(decoding: bytes, as: UTF8.self)
    var shown: [UInt8] = []
    var rest = bytes[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      shown += rest[..<open]
      // Escaped values have no such sign.
      guard let close = rest[open...].firstIndex(of: UInt8(ascii: ">")) else { break }
      let tag = Self.tag(String(decoding: rest[(open + 1)..<close], as: UTF8.self))
      tags.append(tag)
      rest = rest[(close + 1)...]
      guard tag.name == "style" || tag.name == "script", !tag.isEnd else { continue }
      // What is in these is not markup, up to their end.
      let end = Array("</\(tag.name)>".utf8)
      var at = rest.startIndex
      while at < rest.endIndex, !rest[at...].starts(with: end) { at += 1 }
      if tag.name == "script" { script = String(decoding: rest[..<at], as: UTF8.self) }
      rest = rest[at...]
    }
    shown += rest
    text = String(decoding: shown, as: UTF8.self)
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }

  private static func tag(_ inside: String) -> Tag {
    var parts = inside[...]
    var tag = Tag(name: "")
    if parts.hasPrefix("/") {
      tag.isEnd = true
      parts.removeFirst()
    }
    if parts.hasSuffix("/") {
      tag.isWhole = true
      parts.removeLast()
    }
    tag.name = String(parts.prefix { $0 != " " })
    parts = parts.dropFirst(tag.name.count)
    while !parts.isEmpty {
      parts = parts.drop { $0 == " " }
      let name = parts.prefix { $0 != "=" && $0 != " " }
      parts = parts.dropFirst(name.count)
      var value = ""
      if parts.hasPrefix("=\"") {
        value = String(parts.dropFirst(2).prefix { $0 != "\"" })
        parts = parts.dropFirst(value.count + 3)
      }
      if !name.isEmpty { tag.attributes[String(name)] = value }
    }
    return tag
  }

  /// The elements that are not closed, or closed without being open; empty in a sound page.
  var unbalanced: [String] {
    var open: [String] = []
    for tag in tags where !tag.isWhole && !Self.voids.contains(tag.name) {
      if !tag.isEnd {
        open.append(tag.name)
      } else if open.last == tag.name {
        open.removeLast()
      } else {
        return open + ["/" + tag.name]
      }
    }
    return open
  }

  var ids: [String] { tags.compactMap { $0.attributes["id"] } }
  var links: [String] { tags.compactMap { $0.attributes["href"] } }
  /// The names of all elements that stand somewhere.
  var elements: Set<String> { Set(tags.map(\.name)) }
  /// The names of all attributes that stand somewhere.
  var attributes: Set<String> { Set(tags.flatMap(\.attributes.keys)) }

  /// What the links in the head of the page lead to, in their order.
  var sections: [String] {
    tags.filter { $0.name == "h2" && !$0.isEnd }.compactMap { $0.attributes["id"] }
  }
}
