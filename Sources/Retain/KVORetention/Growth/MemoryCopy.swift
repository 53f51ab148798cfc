internal import CKVORetention
internal import Glibc

/// Copies memory of this process, even if another thread unmaps it at the same time: the kernel
/// copies what exists, and no fault occurs.
///
/// Containers refuse some system calls, so each way is tested with a known word before it is used.
final class MemoryCopy {
  /// A way to read memory.
  enum Way: CaseIterable {
    /// `process_vm_readv`, which Docker's and other filters refuse on some kernels.
    case call
    /// Reading `/proc/self/mem`, which needs `/proc`.
    case file
  }

  private let way: Way
  /// A descriptor of `/proc/self/mem`, or -1.
  private let file: Int32

  /// - Parameter ways: the ways to try, in this order. Returns nil if none of them works.
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

  /// Copies `count` bytes at `address`, and returns the number of bytes that could be copied.
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
