import Foundation
import TestSupport
import Testing

@testable import KVOReports

@Suite("Source lines on a page")
struct SourceExcerptTests {
  private let text = "1\n\tif a {\n    b\n\n  }\n6\n7\n8\n"

  private func excerpt(_ text: String, around number: Int) -> SourceExcerpt? {
    SourceExcerpt(SourceExcerpt.lines(of: text), around: number)
  }

  @Test("are those around the one in question, without the indentation that all have")
  func around() {
    let middle = excerpt("  a\n    b\n\n  c\n", around: 2)
    #expect(middle?.lines == ["a", "  b", "", "c", ""])
    #expect(middle?.firstNumber == 1 && middle?.number == 2)
    #expect(excerpt(text, around: 5)?.lines == ["  if a {", "    b", "", "  }", "6", "7", "8"])
    #expect(excerpt(text, around: 1)?.lines == ["1", "  if a {", "    b", ""])
  }

  @Test("end at the line ends of compilers")
  func endings() {
    #expect(excerpt("a\r\nb\rc\n", around: 2)?.lines == ["a", "b", "c", ""])
  }

  @Test("are empty if the file has no such line", arguments: [-1, 0, 10, Int.max])
  func outside(number: Int) {
    #expect(excerpt(text, around: number) == nil)
  }

  @Test("are cut if they are long")
  func long() {
    let excerpt = self.excerpt(String(repeating: "x", count: 1_000_000), around: 1)
    #expect(excerpt?.lines == [String(repeating: "x", count: SourceExcerpt.lineLimit) + "…"])
  }

  @Test("come from files that are called as sources are, and from no others")
  func endingsOfNames() throws {
    let folder = try ScratchFolder()
    let shelf = SourceShelf()
    for name in ["a.swift", "a.m", "a.MM", "a.h"] {
      #expect(shelf.excerpt(try folder.file(name, "text"), 1)?.lines == ["text"])
    }
    for name in ["passwd", "a.txt", "swift", ".ssh", "a.swift.key"] {
      #expect(shelf.excerpt(try folder.file(name, "text"), 1) == nil)
    }
  }

  @Test("come from no folder, device, link to one, or file that is too large or no text")
  func kinds() throws {
    let folder = try ScratchFolder()
    let shelf = SourceShelf()
    #expect(shelf.excerpt(folder.path, 1) == nil)
    #expect(shelf.excerpt(folder.path("none.swift"), 1) == nil)
    #expect(shelf.excerpt("", 1) == nil)
    let link = folder.path("zero.swift")
    #expect(symlink("/dev/zero", link) == 0)
    #expect(shelf.excerpt(link, 1) == nil)
    let pipe = folder.path("pipe.swift")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(shelf.excerpt(pipe, 1) == nil)
    let large = try folder.file("large.swift", [UInt8](repeating: 10, count: 2 << 20 + 1))
    #expect(shelf.excerpt(large, 1) == nil)
    #expect(shelf.excerpt(try folder.file("binary.swift", [0xff, 0xfe, 0x00]), 1) == nil)
  }

  @Test("are read once a file, and from so many files at the most")
  func bounds() {
    var asked: [String] = []
    let shelf = SourceShelf { name in
      asked.append(name)
      return name == "missing.swift" ? nil : "a\nb"
    }
    for _ in 1...2 {
      for number in 1...300 { _ = shelf.excerpt("f\(number).swift", 1) }
      #expect(shelf.excerpt("f1.swift", 2)?.number == 2)
      #expect(shelf.excerpt("missing.swift", 1) == nil)
    }
    #expect(asked.count == SourceShelf.fileLimit)
    #expect(Set(asked).count == SourceShelf.fileLimit)
  }

  @Test("of one file are found in time that does not depend on its length")
  func many() {
    let text = String(repeating: "let x = 1\n", count: 50_000)
    let shelf = SourceShelf { _ in text }
    for number in stride(from: 1, through: 50_000, by: 10) {
      #expect(shelf.excerpt("f.swift", number)?.number == number)
    }
    #expect(shelf.excerpt("f.swift", 50_002) == nil)
  }
}
