/// The digests of a page's scripts, by which browsers recognize them.
///
/// A test compares them.
enum PageDigest {
  /// Of `page.js`, with the line break before it.
  static let script = "sha256-YcJC4kMF8OCYqzYPL9R0nzpQuynBqiV8k7GEA7XoAm4="
  /// Of `live.js`, likewise.
  static let liveScript = "sha256-fw9lA60aoYHii42JL1lUbor1Os4OuH0h0XBkGF+ERb0="
}
