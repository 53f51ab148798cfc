/// Why a file cannot be read as a heap snapshot.
package enum HeapFileError: Error, Hashable, CustomStringConvertible {
  /// It begins with other bytes.
  case notASnapshot
  /// It has a version that this program does not know.
  case unknownVersion(UInt32)
  /// Its size differs from the size in its header.
  case wrongLength(expected: UInt64, found: Int)
  /// It has more bytes than its header says; how many is not known.
  case tooLong(expected: UInt64)
  /// The memory of this process cannot hold it.
  case tooLarge(byteCount: UInt64)
  /// Its checksum is wrong.
  case damaged
  /// Its contents are inconsistent, at a byte offset.
  case invalid(String, offset: Int)

  package var description: String {
    switch self {
    case .notASnapshot: "is not a heap snapshot: it does not begin with \"KVOHEAP\""
    case .unknownVersion(let version):
      "is a heap snapshot of version \(version); this program reads versions 1 to \(HeapFile.version)"
    case .wrongLength(let expected, let found):
      found < expected
        ? "is cut: it has \(found) of \(expected) bytes"
        : "has \(found) bytes, and says that it has \(expected)"
    case .tooLong(let expected): "has more than the \(expected) bytes that it says that it has"
    case .tooLarge(let byteCount):
      "is too large for the memory of this process: it has \(byteCount) bytes"
    case .damaged: "is damaged: its checksum is another one"
    case .invalid(let what, let offset): "is invalid: \(what), at byte \(offset)"
    }
  }
}

extension HeapFile {
  /// The size of a file according to its first bytes, so that nothing else is read into memory.
  ///
  /// - Parameter head: the first bytes, any number of them.
  /// - Returns: the size; nil if more bytes are needed.
  /// - Throws: ``HeapFileError`` if no snapshot of a known version begins so.
  package static func byteCount(head: [UInt8]) throws(HeapFileError) -> UInt64? {
    guard head.prefix(magic.count).elementsEqual(magic.prefix(head.count)) else {
      throw .notASnapshot
    }
    guard head.count >= versionEnd else { return nil }
    var reader = Reader(bytes: head, offset: magic.count)
    let version: UInt32 = reader.next()
    guard (1...Self.version).contains(version) else { throw .unknownVersion(version) }
    guard head.count >= headerByteCount(ofVersion: version) else { return nil }
    reader.offset = checksumStart
    return reader.next()
  }

  /// Reads the bytes of a file.
  ///
  /// The checks, in order:
  /// 1. The first 8 bytes are the format's signature, and the next 4 a known version.
  /// 2. The size is that in the header, and the checksum is right.
  /// 3. The counts add up to that size: nothing is allocated for data that the file does not
  ///    contain.
  /// 4. Strings are in order and are UTF-8.
  /// 5. Each index is in range, and each kind is known.
  /// 6. Objects have rising addresses, and do not overlap; those that logs name have one number each.
  ///
  /// - Parameter bytes: any bytes.
  /// - Returns: the snapshot that was written.
  /// - Throws: ``HeapFileError``, for the first check that fails.
  /// - Complexity: O(bytes).
  package static func snapshot(of bytes: [UInt8]) throws(HeapFileError) -> HeapSnapshot {
    guard bytes.starts(with: magic) else { throw .notASnapshot }
    guard bytes.count >= versionEnd else {
      throw .wrongLength(expected: UInt64(headerByteCountBefore3), found: bytes.count)
    }
    var reader = Reader(bytes: bytes, offset: magic.count)
    let version: UInt32 = reader.next()
    guard (1...Self.version).contains(version) else { throw .unknownVersion(version) }
    reader.hasOwnerCounts = version > 1
    let headerByteCount = Self.headerByteCount(ofVersion: version)
    guard bytes.count >= headerByteCount else {
      throw .wrongLength(expected: UInt64(headerByteCount), found: bytes.count)
    }
    let isUnused = reader.next() as UInt32 == 0
    let sum: UInt64 = reader.next()
    let byteCount: UInt64 = reader.next()
    guard byteCount == UInt64(bytes.count) else {
      throw .wrongLength(expected: byteCount, found: bytes.count)
    }
    guard sum == checksum(of: bytes) else { throw .damaged }
    guard isUnused else { throw .invalid("a flag that is not known", offset: versionEnd) }
    let time: UInt64 = reader.next()
    let processID: UInt32 = reader.next()
    let nameOffset = reader.offset
    let nameIndex: UInt32 = reader.next()
    var counts: [Int] = []
    for _ in 0..<7 { counts.append(Int(reader.next() as UInt32)) }
    let gapBits: UInt32 = reader.next()
    let processStart: UInt64 = version < 3 ? 0 : reader.next()
    counts.append(version < 3 ? 0 : Int(reader.next() as UInt32))
    let isPaddingUnused = version < 3 || reader.next() as UInt32 == 0
    let sizes = [
      4, 1, imageByteCount, classByteCount,
      reader.hasOwnerCounts ? objectByteCount : objectByteCountOfVersion1, edgeByteCount,
      rootByteCount, numberedByteCount,
    ]
    let needed = zip(counts, sizes).reduce(headerByteCount) { $0 + $1.0 * $1.1 }
    guard needed == bytes.count else {
      throw .invalid("counts of \(needed) bytes in a file of \(bytes.count)", offset: 48)
    }
    let gaps = HeapSnapshot.Gaps(rawValue: gapBits)
    guard HeapSnapshot.Gaps.all.isSuperset(of: gaps) else {
      throw .invalid("unknown gaps", offset: headerByteCountBefore3 - 4)
    }
    guard isPaddingUnused else {
      throw .invalid("a flag that is not known", offset: headerByteCount - 4)
    }
    reader.strings = try reader.readStrings(count: counts[0], byteCount: counts[1])
    guard Int(nameIndex) < reader.strings.count else {
      throw .invalid("no string \(nameIndex)", offset: nameOffset)
    }
    var snapshot = HeapSnapshot(
      processID: processID,
      processName: reader.strings[Int(nameIndex)],
      time: time,
      processStart: processStart,
      gaps: gaps
    )
    snapshot.images = try reader.images(counts[2])
    snapshot.classes = try reader.classes(counts[3])
    snapshot.objects = try reader.objects(counts[4], classCount: counts[3], edgeCount: counts[5])
    snapshot.edges = try reader.edges(counts[5], objectCount: counts[4])
    snapshot.roots = try reader.roots(counts[6], objectCount: counts[4])
    snapshot.numbered =
      version < 3 ? nil : try reader.numbered(counts[7], objectCount: counts[4])
    return snapshot
  }

  /// Reads numbers from bytes whose count was checked.
  private struct Reader {
    let bytes: [UInt8]
    var offset: Int
    var strings: [String] = []
    var hasOwnerCounts = true

    mutating func next<Number: FixedWidthInteger>() -> Number {
      let size = MemoryLayout<Number>.size
      defer { offset += size }
      return bytes.withUnsafeBytes {
        Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
      }
    }

    /// An index below `count`.
    mutating func index(
      below count: Int,
      of what: String
    ) throws(HeapFileError) -> Int {
      let index: UInt32 = next()
      guard Int(index) < count else { throw .invalid("no \(what) \(index)", offset: offset - 4) }
      return Int(index)
    }

    private mutating func string() throws(HeapFileError) -> String {
      strings[try index(below: strings.count, of: "string")]
    }

    mutating func readStrings(
      count: Int,
      byteCount: Int
    ) throws(HeapFileError) -> [String] {
      var texts: [String] = []
      texts.reserveCapacity(count)
      let start = offset + count * 4
      var end = start
      for _ in 0..<count {
        let field = offset
        let next = start + Int(self.next() as UInt32)
        guard next >= end, next <= start + byteCount else {
          throw .invalid("a string ends outside of the text", offset: field)
        }
        guard let text = String(validating: bytes[end..<next], as: UTF8.self) else {
          throw .invalid("a string is not UTF-8", offset: end)
        }
        texts.append(text)
        end = next
      }
      guard end == start + byteCount else {
        throw .invalid("text that no string has", offset: end)
      }
      offset = end
      return texts
    }

    mutating func images(_ count: Int) throws(HeapFileError) -> [HeapSnapshot.Image] {
      var images: [HeapSnapshot.Image] = []
      for _ in 0..<count {
        let start: UInt64 = next()
        let end: UInt64 = next()
        let path = try string()
        images.append(
          HeapSnapshot.Image(path: path, buildID: try string(), start: start, end: end)
        )
      }
      return images
    }

    mutating func classes(_ count: Int) throws(HeapFileError) -> [HeapSnapshot.Class] {
      var classes: [HeapSnapshot.Class] = []
      for _ in 0..<count {
        let name = try string()
        let module = try string()
        guard let kind = HeapSnapshot.Kind(rawValue: next()) else {
          throw .invalid("an unknown kind of class", offset: offset - 4)
        }
        classes.append(HeapSnapshot.Class(name: name, module: module, kind: kind))
      }
      return classes
    }

    mutating func objects(
      _ count: Int,
      classCount: Int,
      edgeCount: Int
    ) throws(HeapFileError) -> [HeapSnapshot.Object] {
      guard count < Int(HeapFile.conservative) else {
        throw .invalid("2^31 objects or more", offset: 64)
      }
      var objects: [HeapSnapshot.Object] = []
      objects.reserveCapacity(count)
      var (firstEdge, end): (Int, UInt64) = (0, 0)
      for _ in 0..<count {
        let start = offset
        let address: UInt64 = next()
        let byteCount: UInt64 = next()
        let (last, isBeyond) = address.addingReportingOverflow(byteCount)
        guard byteCount > 0, !isBeyond, address >= end else {
          throw .invalid("an object that overlaps another one, or has no bytes", offset: start)
        }
        end = last
        let classIndex = try index(below: classCount, of: "class")
        let edges = Int(next() as UInt32)
        guard edges <= edgeCount - firstEdge else {
          throw .invalid("an object with references that are not there", offset: offset - 4)
        }
        objects.append(
          HeapSnapshot.Object(
            address: address,
            byteCount: byteCount,
            classIndex: classIndex,
            edges: firstEdge..<firstEdge + edges,
            ownerCount: hasOwnerCounts ? next() : 0
          )
        )
        firstEdge += edges
      }
      guard firstEdge == edgeCount else {
        throw .invalid("references that no object has", offset: offset)
      }
      return objects
    }

    mutating func edges(
      _ count: Int,
      objectCount: Int
    ) throws(HeapFileError) -> [HeapSnapshot.Edge] {
      var edges: [HeapSnapshot.Edge] = []
      edges.reserveCapacity(count)
      for _ in 0..<count {
        let word: UInt32 = next()
        let target = Int(word & ~HeapFile.conservative)
        guard target < objectCount else {
          throw .invalid("no object \(target)", offset: offset - 4)
        }
        edges.append(
          HeapSnapshot.Edge(
            target: target,
            label: try string(),
            isProven: word & HeapFile.conservative == 0
          )
        )
      }
      return edges
    }

    mutating func roots(
      _ count: Int,
      objectCount: Int
    ) throws(HeapFileError) -> [HeapSnapshot.Root] {
      var roots: [HeapSnapshot.Root] = []
      for _ in 0..<count {
        let address: UInt64 = next()
        let object = try index(below: objectCount, of: "object")
        guard let kind = HeapSnapshot.RootKind(rawValue: next()) else {
          throw .invalid("an unknown kind of root", offset: offset - 4)
        }
        roots.append(HeapSnapshot.Root(kind: kind, address: address, object: object))
      }
      return roots
    }

    mutating func numbered(
      _ count: Int,
      objectCount: Int
    ) throws(HeapFileError) -> [HeapSnapshot.NumberedObject] {
      var numbered: [HeapSnapshot.NumberedObject] = []
      for _ in 0..<count {
        let start = offset
        let object = try index(below: objectCount, of: "object")
        guard numbered.last.map({ $0.object < object }) ?? true else {
          throw .invalid("an object with two numbers, or out of order", offset: start)
        }
        let className = try string()
        numbered.append(
          HeapSnapshot.NumberedObject(object: object, number: next(), className: className)
        )
      }
      return numbered
    }
  }
}
