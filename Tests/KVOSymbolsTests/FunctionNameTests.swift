import CSwiftDemangle
import Glibc
import KVOTrace
import TestSupport
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
    var random = SplitMix64(seed: 3)
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

  @Test("A module that is read from the mangled name is the one that the text says")
  func certainModules() throws {
    func certain(_ mangled: [UInt8]) -> String? {
      mangled.withUnsafeBufferPointer { SwiftMangledModule.certain(in: $0) }
    }
    for row in FunctionNameTable.rows {
      guard let found = certain(Array(row.mangled.utf8)) else { continue }
      #expect(found == row.swiftModule)
    }

    let file = try ElfFile(path: OwnImage.module().path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions
    var certainCount = 0
    var differences: [String] = []
    for index in stride(from: 0, to: functions.count, by: 5) {
      let mangled = String(cString: functions[index].name)
      guard mangled.hasPrefix("$s"), let found = certain(Array(mangled.utf8)) else { continue }
      certainCount += 1
      let text = try #require(swift_demangle(mangled, mangled.utf8.count, nil, nil, 0))
      defer { free(text) }
      let full = Array(String(cString: text).utf8)
      // The text of a specialization for a closure has brackets that do not pair, that of a global's
      // initializer has no module: both say less than the mangled name, never something else.
      let said =
        SwiftModuleName.inFullName(full) ?? SwiftModuleName.leading(mangled: Array(mangled.utf8))
      if found != said, found != "Swift" || said != nil {
        differences.append("\(mangled): \(found), text \(said ?? "nothing")")
      }
      if full.contains(Array("merged ".utf8), at: 0) { differences.append("\(mangled) is merged") }
    }
    #expect(differences == [])
    #expect(certainCount >= 1_000)
  }

  @Test(
    "A name with an operator that is not known, or that is cut off, says no module for certain",
    arguments: [
      "", "$", "$s", "$s4", "$s4dem", "$s4demo", "$s4demoE", "$s04demo3foo", "$s4demo3fooI",
      "$s4demo3fooVA", "$s4demo3fooL", "$s4demo3fooL9", "$s4demo99999999999999999999foo",
      "$s4demo1AVSgWOe", "$s4demo3fooyyFTm", "$sSo8NSStringC10FoundationE3fooyyF", "$sSg3foo",
      "$S4demo3fooyyF", "_ZN3foo3barEi", "$sSS4demoE4loudSSvg",
    ]
  )
  func uncertainModules(name: String) {
    #expect(
      Array(name.utf8).withUnsafeBufferPointer { SwiftMangledModule.certain(in: $0) } == nil
    )
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
    #expect(Array(text.utf8).withUnsafeBufferPointer { SwiftNameText.shortened($0) } == text)
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
