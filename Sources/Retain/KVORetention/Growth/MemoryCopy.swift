internal import CKVORetention
internal import Glibc

/// Copies memory of this process, also what another thread unmaps meanwhile: the kernel copies as much as
/// there is, and nobody faults.
///
/// Containers refuse some system calls. Each way is tried with a word that is known before it is taken.
final class MemoryCopy {
  /// How memory is asked for.
  enum Way: CaseIterable {
    /// `process_vm_readv`, which Docker's and other filters refuse on some kernels.
    case call
    /// Reading `/proc/self/mem`, which needs `/proc`.
    case file
  }

  private let way: Way
  /// Of `/proc/self/mem`, or -1.
  private let file: Int32

  /// - Parameter ways: what is tried, in this order. Nil where none of it copies.
  init?(_ ways: [Way] = Way.allCases) {
    for way in ways {
      let file = way == .file ? open("/proc/self/mem", O_RDONLY | O_CLOEXEC) : -1
      if Self.isRight(way, file) {
        (self.way, self.file) = (way, file)
        return
      }
      if file >= 0 { close(file) }
    }
    return nil
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// Copies `count` bytes from `address` on, and returns how many it could.
  func copy(_ address: UInt, to copy: UnsafeMutableRawPointer, _ count: Int) -> Int {
    Self.copy(way, file, address, to: copy, count)
  }

  private static func isRight(_ way: Way, _ file: Int32) -> Bool {
    var known: UInt = 0x5eed_0f_5eed
    var word: UInt = 0
    let size = MemoryLayout<UInt>.size
    let copied = withUnsafePointer(to: &known) {
      copy(way, file, UInt(bitPattern: $0), to: &word, size)
    }
    return copied == size && word == known
  }

  private static func copy(
    _ way: Way,
    _ file: Int32,
    _ address: UInt,
    to copy: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Int {
    switch way {
    case .call: return kvos_copy_memory(address, copy, count)
    case .file:
      guard let offset = off_t(exactly: address) else { return 0 }
      var copied = 0
      while copied < count {
        let read = pread(file, copy + copied, count - copied, offset + off_t(copied))
        if read > 0 {
          copied += read
        } else if read == 0 || errno != EINTR {
          break
        }
      }
      return copied
    }
  }
}
