internal import CKVOChecksum

/// The bytes of a `.kvoheap` file, which Documentation/HeapSnapshots.md describes.
///
/// All numbers are little-endian. The sections follow the header in the order in which it counts them.
package enum HeapFile {
  static let magic: [UInt8] = Array("KVOHEAP\n".utf8)
  package static let version: UInt32 = 3
  static let headerByteCount = 96
  /// Without the start of the process and the number of objects that logs name.
  static let headerByteCountBefore3 = 80
  /// The end of the header fields that every version has.
  static let versionEnd = 12
  /// The first byte that the checksum covers.
  static let checksumStart = 24

  static let imageByteCount = 24
  static let classByteCount = 12
  static let objectByteCount = 28
  /// Objects of version 1 do not say how many owners they have.
  static let objectByteCountOfVersion1 = 24
  static let edgeByteCount = 8
  static let rootByteCount = 16
  static let numberedByteCount = 16

  /// The size of the header of a file of `version`.
  static func headerByteCount(ofVersion version: UInt32) -> Int {
    version < 3 ? headerByteCountBefore3 : headerByteCount
  }

  /// The bit of an edge's target that marks the edge as not proven.
  static let conservative: UInt32 = 1 << 31

  static func checksum(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      let start = min(checksumStart, bytes.count)
      return kvos_checksum(bytes.baseAddress.map { $0 + start }, UInt64(bytes.count - start), 0)
    }
  }

  /// The bytes of a file that contains `snapshot`: of version 2 if it does not say which objects logs name, as only
  /// files of earlier versions do not, and of ``version`` otherwise.
  ///
  /// - Parameter snapshot: a snapshot with fewer than 2^31 objects and fewer than 2^32 edges.
  /// - Returns: a header and sections of records.
  /// - Complexity: O(bytes).
  package static func bytes(of snapshot: HeapSnapshot) -> [UInt8] {
    var strings = StringTable()
    var sections = Bytes()
    for image in snapshot.images {
      sections.append(image.start)
      sections.append(image.end)
      sections.append(strings.index(of: image.path))
      sections.append(strings.index(of: image.buildID))
    }
    for type in snapshot.classes {
      sections.append(strings.index(of: type.name))
      sections.append(strings.index(of: type.module))
      sections.append(type.kind.rawValue)
    }
    for object in snapshot.objects {
      sections.append(object.address)
      sections.append(object.byteCount)
      sections.append(UInt32(object.classIndex))
      sections.append(UInt32(object.edges.count))
      sections.append(object.ownerCount)
    }
    for object in snapshot.objects {
      for edge in snapshot.edges[object.edges] {
        sections.append(UInt32(edge.target) | (edge.isProven ? 0 : conservative))
        sections.append(strings.index(of: edge.label))
      }
    }
    for root in snapshot.roots {
      sections.append(root.address)
      sections.append(UInt32(root.object))
      sections.append(root.kind.rawValue)
    }
    for object in snapshot.numbered ?? [] {
      sections.append(UInt32(object.object))
      sections.append(strings.index(of: object.className))
      sections.append(object.number)
    }
    let processName = strings.index(of: snapshot.processName)

    var file = Bytes()
    file.bytes += magic
    let version = snapshot.numbered == nil ? 2 : self.version
    file.append(version)
    file.append(UInt32(0))
    file.append(UInt64(0))
    let byteCount =
      headerByteCount(ofVersion: version) + strings.ends.count * 4 + strings.text.count
      + sections.bytes.count
    file.append(UInt64(byteCount))
    file.append(snapshot.time)
    file.append(snapshot.processID)
    file.append(processName)
    file.append(UInt32(strings.ends.count))
    file.append(UInt32(strings.text.count))
    file.append(UInt32(snapshot.images.count))
    file.append(UInt32(snapshot.classes.count))
    file.append(UInt32(snapshot.objects.count))
    file.append(UInt32(snapshot.objects.reduce(0) { $0 + $1.edges.count }))
    file.append(UInt32(snapshot.roots.count))
    file.append(snapshot.gaps.rawValue)
    if let numbered = snapshot.numbered {
      file.append(snapshot.processStart)
      file.append(UInt32(numbered.count))
      file.append(UInt32(0))
    }
    for end in strings.ends { file.append(end) }
    file.bytes += strings.text
    file.bytes += sections.bytes
    seal(&file.bytes)
    return file.bytes
  }

  /// Writes the checksum of a file into its header.
  package static func seal(_ bytes: inout [UInt8]) {
    let sum = checksum(of: bytes)
    for index in 0..<8 { bytes[16 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
  }

  private struct Bytes {
    var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// Stores each text once.
  private struct StringTable {
    private(set) var text: [UInt8] = []
    private(set) var ends: [UInt32] = []
    private var known: [String: UInt32] = [:]

    mutating func index(of string: String) -> UInt32 {
      if let index = known[string] { return index }
      let index = UInt32(ends.count)
      text += string.utf8
      ends.append(UInt32(text.count))
      known[string] = index
      return index
    }
  }
}
