/// The digests of a page's scripts, by which browsers recognize them.
///
/// A test compares them.
enum PageDigest {
  /// Of `page.js`, with the line break before it.
  static let script = "sha256-4FqAmNE75K0dSbPKpkR1DTqz/nH0B/HTiMoTi1z5J2Q="
  /// Of `live.js`, likewise.
  static let liveScript = "sha256-fw9lA60aoYHii42JL1lUbor1Os4OuH0h0XBkGF+ERb0="
}
