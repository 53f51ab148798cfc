import KVOText
import TestSupport
import Testing

@Suite("A path in a command that a message suggests")
struct ShellWordTests {
  @Test(
    "is the word that a shell reads",
    arguments: [
      "app.jsonl", "/tmp/a-b_c/app+1=2,3@4:5%.kvolog", "my app.jsonl", "it's.jsonl", "''", "$HOME",
      "a\\b", "*", "",
      "Zürich.jsonl", "a\nb", "`id`", "~", "#",
    ]
  )
  func isOneWord(path: String) throws {
    let run = try ProgramRun(shell: "printf '%s|' \(Wording.shellWord(path))")
    #expect(run.output == "\(path)|")
  }

  @Test("is quoted only if need be")
  func plain() {
    #expect(Wording.shellWord("logs/app-1.kvolog") == "logs/app-1.kvolog")
    #expect(Wording.shellWord("my app") == "'my app'")
  }
}
