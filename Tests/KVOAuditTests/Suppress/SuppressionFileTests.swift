import Foundation
import KVOAudit
import TestSupport
import Testing

@Suite("A file of suppressions") struct SuppressionFileTests {
  private func parse(_ text: String) throws(SuppressionFile.Failure) -> [String] {
    try SuppressionFile(path: "s", bytes: Array(text.utf8)).suppressions.map(Self.described)
  }

  private static func described(_ one: Suppression) -> String {
    let patterns = [
      ("class", one.className?.text), ("path", one.keyPath?.text), ("frame", one.frame?.text),
      ("signature", one.signature?.text),
    ]
    let parts = patterns.compactMap { key, pattern in pattern.map { "\(key)=<\($0)>" } }
    return (["\(one.line)", one.rule.text] + parts + ["\(one.until)", one.reason])
      .joined(separator: "|")
  }

  private static let whole = """
    # Known faults.

    KVO001 class=Account path=owner.* frame=*/Legacy/* until=2027-01-31 because #412 rewrites it
      double-remove\tuntil=2027-02-01   class=Screen because why "not"
    * signature=0382ba56 until=2027-03-01 because once
    KVO0?? frame="closure #1 in Screen.show(_: \\"x\\")" until=2028-02-29 because of the vendor
    """

  @Test("has a suppression a line, blank lines and comments")
  func accepted() throws {
    #expect(
      try parse(Self.whole) == [
        "3|KVO001|class=<Account>|path=<owner.*>|frame=<*/Legacy/*>|2027-01-31|#412 rewrites it",
        #"4|double-remove|class=<Screen>|2027-02-01|why "not""#,
        "5|*|signature=<0382ba56>|2027-03-01|once",
        #"6|KVO0??|frame=<closure #1 in Screen.show(_: \"x\")>|2028-02-29|of the vendor"#,
      ]
    )
    #expect(try parse("") == [])
    #expect(try parse("\u{FEFF}KVO001 until=2027-01-01 because x\r\n\r\n").count == 1)
  }

  @Test(
    "that cannot be parsed is reported with the position and the correct form",
    arguments: [
      ("KVO099 until=2027-01-01 because x", "\"KVO099\" is not a rule; did you mean "),
      ("double-remov until=2027-01-01 because x", "did you mean \"double-remove\"?"),
      (
        "nonsense until=2027-01-01 because x",
        "\"nonsense\" is not a rule; `kvo-audit explain` lists"
      ),
      (
        "class=A until=2027-01-01 because x",
        "no rule at its start; a line begins with a code, a slug or *"
      ),
      ("because x", "no rule at its start"),
      ("KVO001", "no day on which it ends; say until when, as until=2027-01-31"),
      ("KVO001 because x", "no day on which it ends"),
      (
        "KVO001 until=soon because x",
        "\"soon\" is not a day; write year, month and day, as until=2027-01-31"
      ),
      ("KVO001 until=2027-02-30 because x", "\"2027-02-30\" is not a day"),
      ("KVO001 until=2027-01-01", "no reason; end the line with why, as in: KVO001 class="),
      ("KVO001 until=2027-01-01 because", "no reason"),
      ("KVO001 until=2027-01-01 because  ", "no reason"),
      (
        "KVO001 clas=A until=2027-01-01 because x",
        "\"clas\" is not a key; did you mean \"class\"?"
      ),
      (
        "KVO001 x=A until=2027-01-01 because x",
        "\"x\" is not a key; there are class, path, frame, signature, until"
      ),
      (
        "KVO001 class= until=2027-01-01 because x",
        "\"class=\" has no value; leave it out to match anything"
      ),
      ("KVO001 class=A class=B until=2027-01-01 because x", "\"class\" is said twice"),
      (
        "KVO001 Account until=2027-01-01 because x",
        "\"Account\" is not understood; here comes class="
      ),
      (
        "KVO001 frame=\"a b until=2027-01-01 because x",
        "a quote is not closed; a \" that belongs to a name"
      ),
      (
        "KVO001 signature=xyz until=2027-01-01 because x",
        "\"xyz\" is not a signature; reports have 2: and at least eight"
      ),
      ("* class=* until=2027-01-01 because x", "it would suppress everything; name a rule"),
      ("KVO* until=2027-01-01 because x", "it would suppress everything"),
      ("*-* path=?* until=2027-01-01 because x", "it would suppress everything"),
      ("* signature=2:* until=2027-01-01 because x", "it would suppress everything"),
    ]
  )
  func refused(line: String, words: String) {
    let failure = #expect(throws: SuppressionFile.Failure.self) { _ = try parse("\n\(line)\n") }
    #expect(failure?.messages.count == 1)
    #expect(failure?.messages.first?.hasPrefix("s:2: ") == true)
    #expect(failure?.messages.first?.contains(words) == true, "\(failure?.messages ?? [])")
  }

  @Test("reports all its mistakes at once")
  func several() {
    let failure = #expect(throws: SuppressionFile.Failure.self) { _ = try parse("a\n#\nb\n") }
    #expect(failure?.messages.map { $0.prefix(5) } == ["s:1: ", "s:3: "])
    let bytes = #expect(throws: SuppressionFile.Failure.self) {
      _ = try SuppressionFile(path: "s", bytes: [0xff, 0x0a])
    }
    #expect(bytes?.messages == ["s:1: not UTF-8; save the file in that encoding"])
  }

  @Test("that is cut anywhere is read up to the cut line, or refused there")
  func truncated() throws {
    let bytes = Array(Self.whole.utf8)
    let all = try parse(Self.whole)
    for count in bytes.indices {
      let cut = bytes[..<count]
      let lastLine = cut.count { $0 == 0x0a } + 1
      do throws(SuppressionFile.Failure) {
        let file = try SuppressionFile(path: "s", bytes: Array(cut))
        let whole = file.suppressions.filter { $0.line < lastLine }.map(Self.described)
        #expect(whole == Array(all.prefix(whole.count)))
        #expect(file.suppressions.count - whole.count <= 1)
      } catch {
        #expect(error.messages.count == 1)
        #expect(error.messages.first?.hasPrefix("s:\(lastLine): ") == true, "\(error.messages)")
      }
    }
  }

  @Test("is the one in the documentation")
  func documented() throws {
    let document = ProgramRun.package.appending(path: "Documentation/Suppressions.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    let example = try #require(text.firstMatch(of: /```\n(#[^`]*)```/)).1
    #expect(
      try parse(String(example)).map { $0.split(separator: "|")[1] } == [
        "KVO001", "leaked-registration", "*",
      ]
    )
  }

  @Test("that does not exist is reported")
  func missing() throws {
    let folder = try ScratchFolder()
    let failure = #expect(throws: SuppressionFile.Failure.self) {
      _ = try SuppressionFile(path: folder.path("none"))
    }
    #expect(failure?.messages == ["\(folder.path("none")): no such file"])
  }
}
