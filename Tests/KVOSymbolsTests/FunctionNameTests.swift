import Testing

@testable import KVOSymbols

@Suite("Function names")
struct FunctionNameTests {
  private func name(_ mangled: String) -> FunctionName {
    mangled.withCString { FunctionName(mangled: $0) }
  }

  @Test("Mangled names read as a programmer writes them", arguments: FunctionNameTable.rows)
  func table(row: FunctionNameTable.Row) {
    let found = name(row.mangled)
    #expect(found == FunctionName(text: row.text, swiftModule: row.swiftModule))
  }

  @Test("Every beginning of every name, and every name with a byte changed, gives some text")
  func damagedNames() {
    var random = SeededGenerator(seed: 3)
    for row in FunctionNameTable.rows {
      for length in 0..<row.mangled.utf8.count {
        let beginning = String(decoding: row.mangled.utf8.prefix(length), as: UTF8.self)
        #expect(name(beginning).text.isEmpty == beginning.isEmpty)
      }
      var bytes = Array(row.mangled.utf8)
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 1...127, using: &random)
      #expect(!name(String(decoding: bytes, as: UTF8.self)).text.isEmpty)
    }
  }

  @Test("A name of more than 65,535 bytes is left as it is")
  func longName() {
    let long = "$s4demo" + String(repeating: "3fooV", count: 20_000)
    #expect(name(long) == FunctionName(text: long, swiftModule: nil))
  }

  @Test(
    "Brackets that do not pair, and empty text, come through unchanged",
    arguments: [
      "", "<", ">", "a<b", "Foo.bar<A(_:)", "->", "Foo.->(_:_:)", "a<<<<", "x #1", " infix",
    ]
  )
  func unpairedBrackets(text: String) {
    #expect(SwiftNameText.shortened(Array(text.utf8)) == text)
  }

  @Test(
    "A full name that names no module has none",
    arguments: [
      "", " ", ".", "(", "#1", "closure #1 in ", "protocol witness for ", "(extension in ", "<",
      "in",
      "(extension in ):", "__C.NSString.length.getter : Swift.Int", "Builtin.thing()",
    ]
  )
  func noModule(text: String) {
    #expect(SwiftModuleName.inFullName(Array(text.utf8)) == nil)
  }
}
