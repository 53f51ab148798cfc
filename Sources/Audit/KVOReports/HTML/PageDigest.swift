/// The digests of a page's scripts, by which browsers recognize them.
///
/// A test compares them.
enum PageDigest {
  /// Of `page.js`, with the line break before it.
  static let script = "sha256-Sn4wXRvcSHJTCvyLtv1seeSxNzP/VW0odhnbS1SjOP4="
  /// Of `live.js`, likewise.
  static let liveScript = "sha256-fw9lA60aoYHii42JL1lUbor1Os4OuH0h0XBkGF+ERb0="
}
