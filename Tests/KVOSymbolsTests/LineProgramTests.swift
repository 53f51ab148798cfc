import CElfutils
import Glibc
import KVOTrace
import Testing

@testable import KVOSymbols

@Suite("Line programs")
struct LineProgramTests {
  private struct Row: Equatable {
    var address: UInt64
    var line: Int32
    var path: String?
  }

  /// Everything that is needed to read a unit, held together.
  private final class Image {
    let file: ElfFile
    let dwarf: OpaquePointer
    let sections: DebugSections
    let code: CodeRanges

    init(path: String) throws {
      file = try ElfFile(path: path)
      dwarf = try #require(dwarf_begin_elf(file.handle, DWARF_C_READ, nil))
      sections = DebugSections(of: file)
      code = CodeRanges(ranges: file.codeRanges)
    }

    deinit { dwarf_end(dwarf) }

    func units() -> [Dwarf_Die] {
      var units: [Dwarf_Die] = []
      var unit: OpaquePointer?
      var next: OpaquePointer?
      var die = Dwarf_Die()
      while dwarf_get_units(dwarf, unit, &next, nil, nil, &die, nil) == 0 {
        units.append(die)
        unit = next
      }
      return units
    }
  }

  /// The row that holds at each address, as libdw reads it.
  private func expected(_ unit: Dwarf_Die, in image: Image) -> [Row] {
    var unit = unit
    var lines: OpaquePointer?
    var count = 0
    guard dwarf_getsrclines(&unit, &lines, &count) == 0, let lines else { return [] }
    let folder = compilerFolder(of: unit).map { String(decoding: $0, as: UTF8.self) }
    var rows: [Row] = []
    for index in 0..<count {
      let line = dwarf_onesrcline(lines, index)
      var row = Row(address: 0, line: 0, path: nil)
      var number: Int32 = 0
      var isEnd = false
      dwarf_lineaddr(line, &row.address)
      dwarf_lineendsequence(line, &isEnd)
      dwarf_lineno(line, &number)
      if !isEnd {
        row.line = number
        // libdw leaves out the compiler's folder where no other one is named.
        row.path = dwarf_linesrc(line, nil, nil).map { String(cString: $0) }
        if let path = row.path, let folder, !path.hasPrefix("/") { row.path = "\(folder)/\(path)" }
      }
      if rows.last?.address == row.address { rows.removeLast() }
      rows.append(row)
    }
    return rows
  }

  private func compilerFolder(of unit: Dwarf_Die) -> UnsafeRawBufferPointer? {
    var unit = unit
    var attribute = Dwarf_Attribute()
    return dwarf_attr(&unit, UInt32(DW_AT_comp_dir), &attribute)
      .flatMap { dwarf_formstring($0) }
      .map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
  }

  private func found(_ unit: Dwarf_Die, in image: Image) throws -> [Row] {
    var unit = unit
    var attribute = Dwarf_Attribute()
    var offset: Dwarf_Word = 0
    guard dwarf_attr(&unit, UInt32(DW_AT_stmt_list), &attribute) != nil,
      dwarf_formudata(&attribute, &offset) == 0
    else { return [] }
    let folder = compilerFolder(of: unit)
    var header = try #require(
      LineHeader(at: offset, in: image.sections, compilerFolder: folder)
    )
    let program = LineProgram(of: &header, in: image.sections.lines, code: image.code)
    var files = FileTable(of: header, folder: folder)
    var rows: [Row] = []
    for row in program.rows {
      let isEnd = row.file == LineProgram.end
      if rows.last?.address == row.address {
        guard !isEnd else { continue }
        rows.removeLast()
      }
      rows.append(
        Row(
          address: row.address,
          line: isEnd ? 0 : row.line,
          path: isEnd ? nil : files[row.file]
        )
      )
    }
    return rows
  }

  /// Rows of code that comes from a file, which is what the two have to agree about.
  private func differences(in path: String, step: Int = 1) throws -> (count: Int, [String]) {
    let image = try Image(path: path)
    var count = 0
    var differences: [String] = []
    let units = image.units()
    for index in stride(from: 0, to: units.count, by: step) {
      let theirs = expected(units[index], in: image).filter {
        image.code.contains($0.address) || $0.path == nil
      }
      let ours = try found(units[index], in: image)
      count += ours.count
      // Sequences of functions that the linker dropped are not kept here.
      guard theirs.allSatisfy({ image.code.contains($0.address) }) else { continue }
      guard theirs.count == ours.count else {
        differences.append("unit \(index): \(theirs.count) rows, here \(ours.count)")
        continue
      }
      for (theirs, ours) in zip(theirs, ours) {
        var theirs = theirs
        // That the compiler made a row up is told by its path there, by none here.
        if theirs.path?.hasSuffix("<compiler-generated>") == true { theirs.path = nil }
        if theirs != ours { differences.append("\(theirs), here \(ours)") }
      }
    }
    return (count, differences)
  }

  @Test("The rows of this program are those that libdw reads")
  func ownImage() throws {
    let (count, differences) = try differences(in: OwnImage.module().path, step: 7)
    #expect(differences == [])
    #expect(count >= 5_000)
  }

  @Test(
    "The rows of a C library are those that libdw reads",
    .enabled(if: CFixture.isAvailable, "gcc and binutils are needed"),
    arguments: [2, 3, 4, 5]
  )
  func fixture(version: Int) throws {
    let fixture = try CFixture("-g", "-gdwarf-\(version)")
    let (count, differences) = try differences(in: fixture.path)
    #expect(differences == [])
    #expect(count > 8)
  }

  @Test("A header that counts more files than it has bytes for ends, and has those it holds")
  func endlessCount() {
    // Version 5: one folder format, no folders; then files of no fields, 2 to the 62nd of them.
    let lists: [UInt8] = [0, 0, 0] + Array(repeating: 0x80, count: 8) + [0x40]
    let fields: [UInt8] = [1, 1, 1, 0xFB, 14, 1] + lists
    let rest: [UInt8] = [5, 0, 8, 0] + [UInt8(fields.count), 0, 0, 0] + fields
    let bytes: [UInt8] = [UInt8(rest.count), 0, 0, 0] + rest
    bytes.withUnsafeBytes {
      let sections = DebugSections(lines: SectionBytes(bytes: $0))
      let header = LineHeader(at: 0, in: sections, compilerFolder: nil)
      #expect(header?.files.count == 1)
      #expect(header?.files.allSatisfy { $0 == nil } == true)
    }
  }

  @Test("A header that is cut off anywhere, or of a version that is not known, is none")
  func refusedHeaders() {
    let fields: [UInt8] = [1, 1, 1, 0xFB, 14, 1, 0, 97, 0, 0, 0, 0, 0]
    func header(_ version: UInt8, length: UInt8? = nil, headerLength: UInt8? = nil) -> [UInt8] {
      let rest: [UInt8] = [version, 0, headerLength ?? UInt8(fields.count), 0, 0, 0] + fields
      return [length ?? UInt8(rest.count), 0, 0, 0] + rest
    }
    func isRead(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBytes {
        LineHeader(
          at: 0,
          in: DebugSections(lines: SectionBytes(bytes: $0)),
          compilerFolder: nil
        ) != nil
      }
    }
    #expect(isRead(header(4)))
    for version: UInt8 in [0, 1, 6, 255] { #expect(!isRead(header(version))) }
    for length in 0..<header(4).count { #expect(!isRead(Array(header(4).prefix(length)))) }
    for length in 0..<UInt8(fields.count) { #expect(!isRead(header(4, headerLength: length))) }
    #expect(!isRead(header(4, headerLength: 255)))
    #expect(!isRead(header(4, length: 255)))
  }
}
