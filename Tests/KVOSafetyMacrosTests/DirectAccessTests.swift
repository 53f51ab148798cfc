#if Macros
import SwiftParser
import SwiftSyntax
import Testing

@testable import KVOSafetyMacros

@Suite("References that go straight to storage")
struct DirectAccessTests {
  private func rewritten(_ body: String, hiddenBy names: Set<String> = []) -> String {
    let access = DirectAccess(to: ["level", "error"], hiddenBy: names)
    return "\(access.rewrite(Parser.parse(source: body).statements))"
  }

  @Test(
    "the body's own references are rewritten",
    arguments: [
      ("level = min(level, 10)", "_level = min(_level, 10)"),
      ("self.level += 1; (self).level = 2", "self._level += 1; (self)._level = 2"),
      ("twist(&level)", "twist(&_level)"),
      ("defer { level = 1 }", "defer { _level = 1 }"),
      (
        "if level > 1 { level = 1 } else { log(level) }",
        "if _level > 1 { _level = 1 } else { log(_level) }"
      ),
      ("level.items[level] = 3", "_level.items[_level] = 3"),
      ("`level` = 1", "_level = 1"),
      (#"log("\(level) \(self.level)")"#, #"log("\(_level) \(self._level)")"#),
      ("if let level { log(level) }", "if let level = _level { log(level) }"),
      (
        "guard let level, level > 0 else { return }",
        "guard let level = _level, level > 0 else { return }"
      ),
      ("run { [level] in log(level) }", "run { [level = _level] in log(level) }"),
      (
        "switch level { case level: break; default: level = 1 }",
        "switch _level { case _level: break; default: _level = 1 }"
      ),
      ("let old = level, level = old", "let old = _level, level = old"),
      ("let level = level; log(level)", "let level = _level; log(level)"),
      (
        "do { let level = 1; log(level) }; level = 2",
        "do { let level = 1; log(level) }; _level = 2"
      ),
      (
        "for level in level { log(level) }; log(level)",
        "for level in _level { log(level) }; log(_level)"
      ),
      (
        "if case .some(let level) = level { log(level) } else { level = 1 }",
        "if case .some(let level) = _level { log(level) } else { _level = 1 }"
      ),
      (
        "switch x { case let level: log(level) }; level = 1",
        "switch x { case let level: log(level) }; _level = 1"
      ),
      (
        "do { try run() } catch let level { log(level) }",
        "do { try run() } catch let level { log(level) }"
      ),
      (
        "do { try run() } catch { log(error) }; error = 1",
        "do { try run() } catch { log(error) }; _error = 1"
      ),
      ("#check(level == 1)", "#check(_level == 1)"),
    ]
  )
  func own(body: String, expected: String) {
    #expect(rewritten(body) == expected)
  }

  @Test(
    "other names, and equal names of other things, are left",
    arguments: [
      "run { level += 1 }", "run { [self] in level += 1 }", "{ self.level = 1 }()",
      "func local() { level = 1 }; local()", "other.level = 1", "super.level = 1", "log(level: 1)",
      "Self.level", ".level", #"self[keyPath: \.level] = 1"#, "log(level(of:))",
      "func level() {}; level()", "level(); func level() {}",
      "struct Local { var level = 1 }", "var local: Int { level }", "$level", "level2 = 1",
    ]
  )
  func others(body: String) {
    #expect(rewritten(body) == body)
  }

  @Test("a parameter hides a property, and self shows it")
  func parameters() {
    #expect(
      rewritten("self.level = level; log(error)", hiddenBy: ["level"])
        == "self._level = level; log(_error)"
    )
  }
}
#endif
