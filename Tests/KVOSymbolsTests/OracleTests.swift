import Foundation
import Glibc
import KVORules
import KVOTrace
import Testing

@testable import KVOSymbols

/// The same questions to LLVM's own symbolizer.
@Suite(
  "Agreement with llvm-symbolizer",
  .enabled(
    if: Tool.exists("llvm-symbolizer"),
    "skipped where neither the toolchain nor PATH has an llvm-symbolizer to compare with"
  )
)
struct OracleTests {
  /// What the oracle says of one address, innermost first.
  private struct OracleFrame {
    var function: String
    var file: String
    var line: Int
  }

  private func askOracle(_ addresses: [UInt64], path: String) throws -> [[OracleFrame]] {
    let tool = try #require(Tool("llvm-symbolizer"))
    let questions = addresses.map { "0x\(String($0, radix: 16))\n" }.joined()
    let answers = try tool.run(
      ["--obj=\(path)", "--functions=linkage", "--no-demangle", "--inlines"],
      input: Data(questions.utf8)
    )
    return answers.split(separator: "\n\n").map { answer in
      let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
      return stride(from: 0, to: lines.count - 1, by: 2).map { index in
        let position = lines[index + 1].split(separator: ":")
        return OracleFrame(
          function: String(lines[index]),
          file: position.dropLast(2).joined(separator: ":"),
          line: Int(position[position.count - 2]) ?? -1
        )
      }
    }
  }

  @Test("Functions, inlined calls and lines agree for the entry and the middle of 4,000 functions")
  func agreement() throws {
    let module = try ToolImage.unloadedModule()
    let file = try ElfFile(path: module.path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions.filter { $0.byteCount > 1 }
    let step = max(1, functions.count / 4_000)
    let addresses = stride(from: 0, to: functions.count, by: step).flatMap {
      [functions[$0].start, functions[$0].start + functions[$0].byteCount / 2]
    }
    let oracle = try askOracle(addresses, path: module.path)
    try #require(oracle.count == addresses.count)

    let resolver = DwarfFrameResolver()
    var differences: [String] = []
    var lineCount = 0
    for (address, expected) in zip(addresses, oracle) {
      let found = resolver.frames(at: address + 1, in: module)
      let names = expected.map { $0.function.withCString { FunctionName(mangled: $0).text } }
      if names != found.map(\.function) {
        differences.append("\(String(address, radix: 16)): \(names), here \(found.map(\.function))")
        continue
      }
      for (theirs, ours) in zip(expected, found) {
        // Of code that comes from no line the two say different things on purpose.
        guard theirs.line != 0, !theirs.file.hasSuffix("<compiler-generated>") else { continue }
        lineCount += 1
        if ours.line != theirs.line || ours.file != theirs.file {
          differences.append(
            "\(String(address, radix: 16)) \(ours.function): \(theirs.file):\(theirs.line), "
              + "here \(ours.file ?? "nothing"):\(ours.line)"
          )
        }
      }
    }
    #expect(differences == [])
    #expect(addresses.count >= 2_000)
    #expect(lineCount >= 1_000)
  }
}
