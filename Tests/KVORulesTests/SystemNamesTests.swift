import Foundation
import KVORules
import Testing

@Suite("The names of the package's modules")
struct SystemNamesTests {
  @Test("are those of its folders: a frame of none of them is taken for the user's own")
  func modules() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let sources = tests.appendingPathComponent("../../Sources").standardized
    // At any depth: the names begin with KVO, and no folder of another kind has such a name.
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    let names = Set(paths.flatMap { $0.split(separator: "/").dropLast().map(String.init) })
    let modules = names.filter { $0.hasPrefix("KVO") && !$0.contains(".") }
    #expect(modules.count > 10)
    #expect(modules.subtracting(SystemNames.packageModules) == [])
  }
}
