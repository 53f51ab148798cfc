import Glibc
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

@Suite("Many addresses at once")
struct BatchTests {
  /// Return addresses all over this program's own image, outside of it and at the number range's ends.
  private func addresses(in module: Module) throws -> [UInt64] {
    let file = try ElfFile(path: module.path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions.filter { $0.byteCount > 4 }
    var random = SplitMix64(seed: 5)
    let inside = (0..<1_500).map { _ in
      let function = functions[Int.random(in: functions.indices, using: &random)]
      return function.start + .random(in: 1...function.byteCount, using: &random)
    }
    return inside + [0, 1, 0x10, .max, inside[0], inside[1]]
  }

  @Test("The frames of an address depend neither on the order of the questions nor on the others")
  func order() throws {
    let module = try ToolImage.unloadedModule()
    let addresses = try addresses(in: module)
    let forward = DwarfFrameResolver()
    let expected = addresses.map { forward.frames(at: $0, in: module) }
    #expect(expected.filter { !$0.isEmpty }.count >= 1_400)

    let backward = DwarfFrameResolver()
    let reversed = addresses.reversed().map { backward.frames(at: $0, in: module) }
    #expect(Array(reversed.reversed()) == expected)
    #expect(DwarfFrameResolver().frames(at: addresses, in: module) == expected)
    #expect(backward.frames(at: addresses, in: module) == expected)
  }

  @Test("A batch of a file that cannot be used has an empty answer for each address")
  func unusableFile() {
    let module = Module(path: "/missing", buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    #expect(DwarfFrameResolver().frames(at: [1, 2, 3], in: module) == [[], [], []])
    #expect(DwarfFrameResolver().frames(at: [], in: module) == [])
  }

  @Test("A resolver without a batch of its own is asked for one address after the other")
  func defaultBatch() {
    let resolver = CountingResolver()
    let module = Module(path: "", buildID: "", loadBias: 0, textStart: 0, textEnd: .max)
    let answers = resolver.frames(at: [30, 10, 20], in: module)
    #expect(answers.map { $0.map(\.line) } == [[30], [10], [20]])
    #expect(resolver.asked == [30, 10, 20])
  }
}

private final class CountingResolver: FrameResolver {
  var asked: [UInt64] = []

  func frames(at returnAddress: UInt64, in module: Module) -> [SourceFrame] {
    asked.append(returnAddress)
    return [
      SourceFrame(
        function: "f",
        swiftModule: nil,
        file: nil,
        line: Int(returnAddress),
        isInlined: false
      )
    ]
  }

  func problem(with module: Module) -> String? { nil }
}
