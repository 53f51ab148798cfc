import Glibc
import Testing

@testable import KVORetention

private protocol Drawn { func draw() -> Int }
extension Array: Drawn where Element: Drawn { fileprivate func draw() -> Int { count } }
extension Int: Drawn { fileprivate func draw() -> Int { self } }

/// A constant that a heap's memory may begin with, as the record of an asynchronous function, and that has the bits
/// of a conformance's descriptor: two words of 4 bytes that lead to somewhere in this image, and flags of zero.
nonisolated(unsafe) private var likeConformance: (UInt32, UInt32, UInt32, UInt32) = (64, 64, 48, 0)

@Suite("Witness tables")
struct WitnessTableTests {
  private func isTable(_ address: UInt) -> Bool {
    var tables = WitnessTables(memory: MemoryMap(), words: CopiedMemory(effort: 10_000))
    return tables.checkForTable(at: address)
  }

  /// The witness table that an existential has after its value and its type.
  private func table(of value: any Drawn) -> UInt {
    struct Holder { let value: any Drawn }
    return withUnsafeBytes(of: Holder(value: value)) {
      $0.load(fromByteOffset: 32, as: UInt.self)
    }
  }

  @Test("those that the compiler and the runtime made are known")
  func tables() {
    #expect(isTable(table(of: 7)))
    #expect(isTable(table(of: [7])))
    #expect(isTable(table(of: [[7]])))
  }

  @Test("memory that begins with another constant is not a witness table")
  func constants() {
    let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 4)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0, count: 4)
    withUnsafePointer(to: &likeConformance) { memory[0] = UInt(bitPattern: $0) }
    #expect(!isTable(UInt(bitPattern: memory)))
    // The metadata of a type, and code.
    memory[0] = UInt(bitPattern: unsafeBitCast([Int].self as Any.Type, to: Int.self))
    #expect(!isTable(UInt(bitPattern: memory)))
    memory[0] = UInt(bitPattern: dlsym(nil, "malloc"))
    #expect(!isTable(UInt(bitPattern: memory)))
  }
}
