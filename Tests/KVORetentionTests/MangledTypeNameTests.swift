import Testing

@testable import KVORetention

/// Names as capture descriptors of programs have them; the letters are those of docs/ABI/Mangling.rst of
/// swiftlang/swift.
@Suite("Mangled names of types")
struct MangledTypeNameTests {
  @Test("the name of a function says how it is represented, whatever its parameters are")
  func loweredFunctions() {
    let functions: [(name: String, expected: MangledTypeName.LoweredFunction?)] = [
      ("Ieg_", .escaping), ("SiIegy_", .escaping), ("ytIegr_Sg", .escaping), ("Ig_", .nonescaping),
      // With an isolated parameter, which nonisolated(nonsending) functions have as well.
      ("IeghHgILr_", .escaping), ("ytIeghHgILr_Sg", .escaping), ("IeggIg_", .escaping),
      ("IggIg_", .nonescaping), ("SiIeggIy_", .escaping),
      ("IetCyy_", .thin), ("IeyB_", .block), ("IegK_", .foreign),
      // With a type of C whose name has an I.
      ("So5CItemVIegy_", .escaping),
      ("q_", nil), ("SiSg", nil), ("So5CItemV", nil), ("xIt", nil),
    ]
    for (name, expected) in functions {
      let bytes = Array(name.utf8) + [0]
      let found = bytes.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.flatMap { MangledTypeName($0).loweredFunction }
      }
      #expect(found == expected, "\(name)")
    }
  }
}
