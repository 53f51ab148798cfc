import Testing

@testable import KVORetention

@Suite("Where a key path keeps arguments")
struct KeyPathArgumentTests {
  private struct Table {
    var rows: [[Int]] = []
    var cell: Int { 0 }
    subscript(row: Int, column: Double) -> Int {
      get { rows[row][Int(column)] }
      set { rows[row][Int(column)] = newValue }
    }
    subscript(name: String) -> Table? { nil }
  }

  /// The words of all arguments of a key path.
  private func words(of keyPath: AnyKeyPath) -> [UInt] {
    let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    let size = object.load(fromByteOffset: 24, as: UInt32.self) & 0x00ff_ffff
    return withExtendedLifetime(keyPath) {
      KeyPathArguments.ranges(in: object, byteCount: Int(size)).flatMap { range in
        stride(from: range.lowerBound, to: range.upperBound, by: 8).map {
          object.load(fromByteOffset: $0, as: UInt.self)
        }
      }
    }
  }

  @Test("they are those of its subscripts, and no header")
  func ranges() {
    let (row, column, name) = (7, 2.5, "a name")
    #expect(words(of: \Table[row, column]) == [7, column.bitPattern].map { UInt($0) })
    #expect(words(of: \Table.cell) == [])
    #expect(words(of: \Table.rows.count) == [])
    let text = withUnsafeBytes(of: name) { Array($0.bindMemory(to: UInt.self)) }
    #expect(words(of: \Table[name]?.cell) == text)
    #expect(
      words(of: \Table[name]?[row, column]) == text + [7, column.bitPattern].map { UInt($0) }
    )
    // Of another module, followed by the count of its own arguments.
    #expect(words(of: \[Int: Double].[row]).first == 7)
    let appended = (\Table[name] as KeyPath<Table, Table?>).appending(path: \Table?.?[row, column])
    #expect(words(of: appended) == text + [7, column.bitPattern].map { UInt($0) })
  }

  @Test("one that ends anywhere has no arguments after its end")
  func cut() {
    let (start, byteCount) = (KeyPathArguments.start, 48)
    // A component of another module with one word as argument: after its header are an identifier, a getter, the size
    // of the arguments, their witnesses, and how many are its own.
    let keyPath = UnsafeMutableRawPointer.allocate(byteCount: start + byteCount + 8, alignment: 8)
    defer { keyPath.deallocate() }
    keyPath.initializeMemory(as: UInt8.self, repeating: 0, count: start + byteCount + 8)
    keyPath.storeBytes(of: 0x0208_0010, toByteOffset: start, as: UInt32.self)
    keyPath.storeBytes(of: 8, toByteOffset: start + 24, as: Int.self)
    for count in 0...byteCount + 8 {
      let ranges = KeyPathArguments.ranges(in: keyPath, byteCount: count)
      #expect(ranges.allSatisfy { $0.upperBound <= start + count }, "\(count): \(ranges)")
    }
    #expect(
      KeyPathArguments.ranges(in: keyPath, byteCount: byteCount + 8)
        == [start + 48..<start + 56]
    )
  }
}
