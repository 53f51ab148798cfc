extension Unicode.Scalar {
  /// Whether a terminal or a text view acts on the character instead of showing it.
  package var actsOnTerminals: Bool {
    switch value {
    // Control characters; the second block holds the one-byte form of the escape sequences.
    case 0..<0x20, 0x7f..<0xa0: true
    // Marks, embeddings, overrides and isolates of direction.
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    // Separators of lines and paragraphs.
    case 0x2028, 0x2029: true
    default: false
    }
  }
}
