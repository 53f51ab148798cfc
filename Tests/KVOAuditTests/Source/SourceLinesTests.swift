import Foundation
import TestSupport
import Testing

@testable import KVOReports

@Suite("The lines of a source file, as in code scanning")
struct SourceLinesTests {
  /// Inputs and hashes of `src/fingerprints.test.ts` in github/codeql-action.
  private static let published: [(text: String, hashes: [String])] = [
    ("", ["c129715d7a2bc9a3:1"]),
    (
      " a\nb\n  \t\tc\n d",
      ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]
    ),
    (
      " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
      [
        "8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1",
        "b86d3392aea1be30:1", "e6ceba753e1a442:1",
      ]
    ),
    (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", greetings),
    (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", greetings),
    (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", greetings),
    (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", greetings),
    (
      String(repeating: "Lorem ipsum dolor sit amet.\n", count: 10),
      [
        "a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4",
        "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6", "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1",
        "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1",
      ]
    ),
    (
      "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n",
      [
        "e54938cc54b302f1:1", "bb609acbe9138d60:1", "1131fd5871777f34:1", "5c482a0f8b35ea28:1",
        "54517377da7028d2:1", "2c644846cb18d53e:1", "f1b89f20de0d133:1", "c129715d7a2bc9a3:1",
      ]
    ),
  ]
  private static let greetings = [
    "e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
    "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
  ]

  @Test("have the hashes that GitHub's action computes", arguments: published)
  func hashes(text: String, hashes: [String]) {
    let lines = SourceLines(text)
    #expect(lines.hashes == hashes)
    #expect(lines.columns.count == hashes.count)
  }

  @Test("have one hash each, however blanks and ends of lines follow each other")
  func mixed() {
    // A blank after a carriage return ends the line, so that the newline after it is another one's.
    for text in ["a\r \nb", "\r\n\r", " \r \r\n\n", "a\n \n\tb\n"] {
      let lines = SourceLines(text)
      #expect(lines.hashes.count == lines.columns.count)
    }
    #expect(SourceLines("a\r \nb").columns == [1..<2, nil, 1..<2])
  }

  @Test("have columns in UTF-16 code units, without the blanks around them")
  func columns() {
    let lines = SourceLines("\u{feff}let é = \"🙂\" \n\n\t  }\r\n  \t")
    #expect(lines.columns == [2..<14, nil, 4..<5, nil])
  }
}
