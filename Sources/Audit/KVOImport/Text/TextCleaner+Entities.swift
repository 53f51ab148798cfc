extension TextCleaner {
  /// The entities of HTML that crash texts have, each without its ampersand.
  static let entities: [(name: StaticString, byte: UInt8)] = [
    ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("quot;", UInt8(ascii: "\"")),
    ("nbsp;", 0x20), ("apos;", UInt8(ascii: "'")), ("#39;", UInt8(ascii: "'")),
    ("#039;", UInt8(ascii: "'")), ("#34;", UInt8(ascii: "\"")), ("#x27;", UInt8(ascii: "'")),
    ("#x22;", UInt8(ascii: "\"")), ("#60;", UInt8(ascii: "<")), ("#62;", UInt8(ascii: ">")),
    ("#160;", 0x20), ("#xa0;", 0x20), ("ldquo;", UInt8(ascii: "\"")),
    ("rdquo;", UInt8(ascii: "\"")), ("lsquo;", UInt8(ascii: "'")), ("rsquo;", UInt8(ascii: "'")),
    ("#91;", UInt8(ascii: "[")), ("#93;", UInt8(ascii: "]")), ("#10;", 0x0a), ("#xa;", 0x0a),
    ("emsp;", 0x20), ("ensp;", 0x20), ("thinsp;", 0x20), ("#9;", 0x09), ("#40;", UInt8(ascii: "(")),
    ("#41;", UInt8(ascii: ")")), ("#47;", UInt8(ascii: "/")), ("colon;", UInt8(ascii: ":")),
  ]
}
