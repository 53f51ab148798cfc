import KVOHeap
import TestSupport
import Testing

@Suite("Files of heap snapshots")
struct HeapFileTests {
  @Test("what is written is read", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Rounds.count(20) {
      var snapshot = RandomHeap.snapshot(&random)
      snapshot.gaps = [.outOfTime, .changingHeap]
      #expect(try HeapFile.snapshot(of: HeapFile.bytes(of: snapshot)) == snapshot)
      // As files of earlier versions are read: it is not said that there are none.
      snapshot.numbered = nil
      snapshot.processStart = 0
      #expect(try HeapFile.snapshot(of: HeapFile.bytes(of: snapshot)) == snapshot)
    }
  }

  /// Version 1 has no owner counts, and neither it nor version 2 has objects that logs name.
  @Test("a file of an earlier version is read", arguments: [UInt8(1), 2])
  func earlier(version: UInt8) throws {
    var random = SplitMix64(seed: 5)
    var snapshot = RandomHeap.snapshot(&random)
    var bytes = HeapFile.bytes(of: snapshot)
    func number(at offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    bytes.removeLast(number(at: 88) * 16)
    bytes.removeSubrange(80..<96)
    snapshot.numbered = nil
    snapshot.processStart = 0
    let objects =
      80 + number(at: 48) * 4 + number(at: 52) + number(at: 56) * 24 + number(at: 60) * 12
    if version == 1 {
      for object in snapshot.objects.indices.reversed() {
        bytes.removeSubrange(objects + object * 28 + 24..<objects + object * 28 + 28)
        snapshot.objects[object].ownerCount = 0
      }
    }
    bytes[8] = version
    for index in 0..<8 { bytes[24 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index)) }
    HeapFile.seal(&bytes)
    #expect(try HeapFile.snapshot(of: bytes) == snapshot)
    #expect(try HeapFile.byteCount(head: Array(bytes.prefix(80))) == UInt64(bytes.count))
  }

  @Test("what was not read is said in words, each once")
  func gaps() {
    let all: HeapSnapshot.Gaps = [.changingHeap, .hugeMapping, .outOfTime, .numbers]
    #expect(
      all.texts == [
        "another thread changed a heap meanwhile", "there is a mapping of 16 GiB or more",
        "there was no time for all roots", "another thread was using the table of observed objects",
      ]
    )
  }

  @Test("a file that is cut anywhere is refused")
  func cut() {
    var random = SplitMix64(seed: 1)
    let bytes = HeapFile.bytes(of: RandomHeap.snapshot(&random))
    for count in bytes.indices {
      let expected: HeapFileError =
        count < 8
        ? .notASnapshot
        : .wrongLength(
          expected: count < 12 ? 80 : count < 96 ? 96 : UInt64(bytes.count),
          found: count
        )
      #expect(throws: expected) { try HeapFile.snapshot(of: Array(bytes[..<count])) }
    }
  }

  /// Who damages a file by accident does not correct the checksum.
  @Test("a changed byte is noticed")
  func changed() {
    var random = SplitMix64(seed: 2)
    let bytes = HeapFile.bytes(of: RandomHeap.snapshot(&random))
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1
      #expect(throws: HeapFileError.self) { try HeapFile.snapshot(of: damaged) }
    }
  }

  /// An attacker can do so: then each number is checked by itself, and the result can be used.
  @Test(
    "a damaged file with the right checksum is refused or read, and never crashes",
    arguments: 0..<10
  )
  func hostile(seed: UInt64) {
    var random = SplitMix64(seed: 1000 + seed)
    var readCount = 0
    for _ in 0..<Rounds.count(500) {
      var bytes = HeapFile.bytes(of: RandomHeap.snapshot(&random))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let offset = Int.random(in: 24..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[offset] = 255
        case 2: bytes.remove(at: offset)
        default:
          let end = min(offset + 4, bytes.count)
          for index in offset..<end {
            bytes[index] = [0, 255, 128].randomElement(using: &random) ?? 0
          }
        }
      }
      let isLengthRight = Bool.random(using: &random)
      if bytes.count >= 80, isLengthRight {
        for index in 0..<8 {
          bytes[24 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index))
        }
      }
      if bytes.count >= 24 { HeapFile.seal(&bytes) }
      guard let snapshot = try? HeapFile.snapshot(of: bytes) else { continue }
      readCount += 1
      let dominators = Dominators(of: snapshot)
      _ = HeapClasses(of: snapshot, dominators)
      _ = HeapCycles(of: snapshot, dominators)
      _ = HeapLeaks(of: snapshot)
      _ = HeapDifference(from: snapshot, to: snapshot, dominators)
      var finder = PathFinder(snapshot)
      for object in snapshot.objects.indices {
        if let path = finder.path(to: { $0 == object }) {
          _ = HeapText.text(of: path, in: snapshot)
        }
      }
    }
    #expect(readCount > 0)
  }

  @Test("an error has its kind and position")
  func errors() {
    var random = SplitMix64(seed: 3)
    let bytes = HeapFile.bytes(of: RandomHeap.snapshot(&random))
    func message(_ change: (inout [UInt8]) -> Void, isSealed: Bool = true) -> String {
      var bytes = bytes
      change(&bytes)
      if isSealed { HeapFile.seal(&bytes) }
      do throws(HeapFileError) {
        _ = try HeapFile.snapshot(of: bytes)
        return ""
      } catch { return error.description }
    }
    #expect(
      message { $0[0] = 0 } == "is not a heap snapshot: it does not begin with \"KVOHEAP\""
    )
    #expect(
      message { $0[8] = 9 } == "is a heap snapshot of version 9; this program reads versions 1 to 3"
    )
    #expect(
      message { $0.append(0) }
        == "has \(bytes.count + 1) bytes, and says that it has \(bytes.count)"
    )
    #expect(
      message { $0.removeLast() } == "is cut: it has \(bytes.count - 1) of \(bytes.count) bytes"
    )
    #expect(
      message({ $0[40] ^= 1 }, isSealed: false) == "is damaged: its checksum is another one"
    )
    #expect(message { $0[47] = 255 }.hasPrefix("is invalid: no string "))
    #expect(message { $0[67] = 255 }.hasSuffix(" in a file of \(bytes.count), at byte 48"))
  }
}
