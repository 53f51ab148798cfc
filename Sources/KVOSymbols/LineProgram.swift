import CElfutils

/// Runs the program that a compile unit's line table is written as.
///
/// libdw's own reader takes a call for each field of a row and sorts rows that are sorted already; it
/// was a fifth of what resolving new addresses cost.
struct LineProgram {
  /// Where an instruction comes from.
  struct Row {
    var address: UInt64
    /// 1-based; 0 where the instruction stands for no line.
    var line: Int32
    /// The number of a file; ``LineProgram/end`` behind the last instruction of a sequence.
    var file: Int32
  }

  /// Stands for no file: what was said of the addresses before does not hold from here on.
  static let end: Int32 = -1

  /// By ascending address; of those with one address the later holds.
  private(set) var rows: [Row] = []
  private var row = Row(address: 0, line: 1, file: 1)
  /// The rows of each sequence.
  private var sequences: [Range<Int>] = []

  /// Runs the program behind `header`, and adds the files that it defines to it.
  ///
  /// - Parameters:
  ///   - header: that of the unit.
  ///   - section: the lines of all units.
  ///   - code: the ranges outside of which a sequence is that of a dropped function.
  /// - Complexity: O(n) in the bytes of the program, where a function's rows ascend as they must;
  ///   O(n log n) where they do not.
  init(of header: inout LineHeader, in section: SectionBytes, code: CodeRanges) {
    var reader = ByteReader(section, header.program)
    // A row of the programs that compilers write takes four bytes and more.
    rows.reserveCapacity(header.program.count / 4)
    var start = 0
    let lineRange = Int64(header.lineRange)
    let lineBase = Int64(header.lineBase)
    let minimum = header.minimumInstructionByteCount
    let constant = UInt64((255 - header.opcodeBase) / header.lineRange) &* minimum
    var line: Int64 = 1
    while !reader.isAtEnd {
      let opcode = reader.byte()
      if opcode >= header.opcodeBase {
        let adjusted = opcode - header.opcodeBase
        row.address &+= UInt64(adjusted / header.lineRange) &* minimum
        line &+= lineBase &+ Int64(adjusted) % lineRange
        append(line)
        continue
      }
      switch Int(opcode) {
      case 0:
        let length = reader.unsigned()
        guard length > 0, length <= UInt64(reader.end - reader.position) else { continue }
        let next = reader.position + Int(length)
        var operand = ByteReader(section, reader.position..<next)
        reader.skip(length)
        switch Int(operand.byte()) {
        case Int(DW_LNE_end_sequence):
          row.file = Self.end
          append(0)
          finishSequence(from: &start, code)
          row = Row(address: 0, line: 1, file: 1)
          line = 1
        case Int(DW_LNE_set_address):
          row.address = operand.number(byteCount: next - operand.position)
        case Int(DW_LNE_define_file):
          header.define(&operand)
        default:
          break
        }
      case Int(DW_LNS_copy): append(line)
      case Int(DW_LNS_advance_pc): row.address &+= reader.unsigned() &* minimum
      case Int(DW_LNS_advance_line): line &+= reader.signed()
      case Int(DW_LNS_set_file):
        row.file = Int32(truncatingIfNeeded: reader.unsigned() & 0x7FFF_FFFF)
      case Int(DW_LNS_const_add_pc): row.address &+= constant
      case Int(DW_LNS_fixed_advance_pc): row.address &+= UInt64(reader.number(UInt16.self))
      default:
        for _ in 0..<header.operandCounts[Int(opcode) - 1] { _ = reader.unsigned() }
      }
    }
    // Rows of a sequence without an end are those of a damaged table.
    rows.removeSubrange(start...)
    sortRows()
  }

  @inline(__always)
  private mutating func append(_ line: Int64) {
    row.line = Int32(truncatingIfNeeded: max(0, min(line, Int64(Int32.max))))
    rows.append(row)
  }

  private mutating func finishSequence(from start: inout Int, _ code: CodeRanges) {
    if code.contains(rows[start].address) {
      sequences.append(start..<rows.count)
      start = rows.count
    } else {
      rows.removeSubrange(start...)
    }
  }

  private mutating func sortRows() {
    guard !isSorted else { return }
    // Functions in sections of their own stand in the order of the source, not of the addresses.
    sequences.sort {
      (rows[$0.lowerBound].address, $0.lowerBound) < (rows[$1.lowerBound].address, $1.lowerBound)
    }
    rows = sequences.flatMap { rows[$0] }
    guard !isSorted else { return }
    let order = rows.indices.sorted { (rows[$0].address, $0) < (rows[$1].address, $1) }
    rows = order.map { rows[$0] }
  }

  private var isSorted: Bool {
    rows.withUnsafeBufferPointer { rows in
      for index in 1..<max(1, rows.count) where rows[index].address < rows[index - 1].address {
        return false
      }
      return true
    }
  }
}
